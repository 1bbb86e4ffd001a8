import {
  ActionIcon,
  Alert,
  AppShell,
  Box,
  Burger,
  Group,
  Menu,
  NavLink,
  ScrollArea,
  Text,
  UnstyledButton,
  useComputedColorScheme,
  useMantineColorScheme,
} from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconMoon, IconPlugConnectedX, IconSun, IconUserCircle } from '@tabler/icons-react';
import { type KeyboardEvent, type Ref, useEffect, useRef } from 'react';
import { Link, type Location, Outlet, ScrollRestoration, useLocation } from 'react-router';
import { useIsConnected } from '../api/change-events.ts';
import { ExactTimesContext, useExactTimesPreference } from '../kit/exact-times.ts';
import { Untrusted } from '../kit/untrusted.tsx';
import { isOpen } from '../kit/place.ts';
import { areas, type Area } from './areas.ts';
import { keepFocus } from './focus.ts';
import { useMay, useMe, WithMe } from '../kit/me.tsx';
import { Paused } from './paused.tsx';
import { ProposedChangeDialog } from '../kit/proposed-change-dialog.tsx';
import { ReauthenticationDialog } from '../kit/reauthentication.tsx';
import { useSignOut } from '../kit/use-sign-out.ts';
import { SearchControl } from './search/search-control.tsx';
import { SessionEnded } from './session-ended.tsx';
import { WaitingCount } from './waiting-count.tsx';
import './shell.css';

/** The frame of every page: navigation, account, connection state. */
export function Shell() {
  return (
    <WithMe>
      <Frame />
    </WithMe>
  );
}

function Frame() {
  const [isNavOpen, nav] = useDisclosure();
  const { pathname } = useLocation();
  const { member } = useMe();
  const [showsExactTimes] = useExactTimesPreference();
  const burger = useRef<HTMLButtonElement>(null);
  const navbar = useRef<HTMLDivElement>(null);
  const closeOnEscape = ({ key }: KeyboardEvent) => {
    if (key !== 'Escape' || !isNavOpen) return;
    nav.close();
    burger.current?.focus();
  };
  useEffect(keepFocus, []);
  useEffect(() => {
    if (isNavOpen) navbar.current?.querySelector('a')?.focus({ preventScroll: true });
  }, [isNavOpen]);
  useEffect(nav.close, [pathname]); // eslint-disable-line react-hooks/exhaustive-deps
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 232, breakpoint: 'sm', collapsed: { mobile: !isNavOpen } }}
      padding="lg"
    >
      <a href="#main" className="skip">
        Skip to content
      </a>
      <AppShell.Header bg="var(--sheet)">
        <Header isNavOpen={isNavOpen} toggleNav={nav.toggle} burger={burger} />
      </AppShell.Header>
      <AppShell.Navbar
        ref={navbar}
        bg="var(--sheet)"
        p="xs"
        aria-label="Console"
        data-open={isNavOpen || undefined}
        onKeyDown={closeOnEscape}
      >
        <ScrollArea>
          <Navigation />
        </ScrollArea>
      </AppShell.Navbar>
      <AppShell.Main id="main" tabIndex={-1}>
        <ConnectionLost />
        <Paused />
        <ExactTimesContext value={showsExactTimes}>
          <Outlet />
        </ExactTimesContext>
      </AppShell.Main>
      <SessionEnded memberId={member.id} />
      <ReauthenticationDialog />
      <ProposedChangeDialog />
      <ScrollRestoration getKey={scrollKey} />
    </AppShell>
  );
}

/** All pages that the browser loads have the key "default"; only their addresses differ. */
const scrollKey = ({ key, pathname, search }: Location): string => (key === 'default' ? pathname + search : key);

interface HeaderProps {
  isNavOpen: boolean;
  toggleNav(): void;
  burger: Ref<HTMLButtonElement>;
}

function Header({ isNavOpen, toggleNav, burger }: HeaderProps) {
  const { member, tenant } = useMe();
  const { signOut } = useSignOut();
  const [showsExactTimes, setShowsExactTimes] = useExactTimesPreference();
  return (
    <Group h="100%" px={{ base: 'xs', xs: 'md' }} gap={0} justify="space-between" wrap="nowrap">
      <Group gap="xs" wrap="nowrap" miw={0}>
        <Burger
          ref={burger}
          opened={isNavOpen}
          onClick={toggleNav}
          hiddenFrom="sm"
          size="sm"
          aria-label={isNavOpen ? 'Close menu' : 'Open menu'}
        />
        <UnstyledButton component={Link} to="/" fw={650} miw={0}>
          <Group gap={8} wrap="nowrap">
            <img src="/assets/icon.svg" width={24} height={24} alt="" />
            <Text span inherit truncate>
              Countersign
            </Text>
          </Group>
        </UnstyledButton>
        <Text size="sm" c="dimmed" visibleFrom="xs" truncate maw="16rem">
          <Untrusted text={tenant.name} />
        </Text>
      </Group>
      <Group gap={4} wrap="nowrap">
        <SearchControl />
        <ColorScheme />
        <Menu position="bottom-end" width={240}>
          <Menu.Target>
            <ActionIcon variant="subtle" color="gray" size="lg" aria-label={`Account menu for ${member.name}`}>
              <IconUserCircle size={22} />
            </ActionIcon>
          </Menu.Target>
          <Menu.Dropdown>
            <Box px="sm" py={6}>
              <Text size="sm" fw={600} component="div">
                <Untrusted text={member.name} />
              </Text>
              <Text size="xs" c="dimmed" component="div">
                <Untrusted text={member.email} />
              </Text>
            </Box>
            <Menu.Divider />
            <Menu.Item component={Link} to="/account">
              Account
            </Menu.Item>
            <Menu.Item component="a" href="/connections">
              Connected accounts
            </Menu.Item>
            <Menu.Item component="a" href="/connected">
              Connected products
            </Menu.Item>
            <Menu.Item component="a" href="/assistants">
              Assistant setup
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item onClick={() => setShowsExactTimes(!showsExactTimes)}>
              {showsExactTimes ? 'Show relative times' : 'Show exact times'}
            </Menu.Item>
            <Menu.Divider />
            <Menu.Item onClick={signOut}>Sign out</Menu.Item>
          </Menu.Dropdown>
        </Menu>
      </Group>
    </Group>
  );
}

function ColorScheme() {
  const { setColorScheme } = useMantineColorScheme();
  const isDark = useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark';
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      size="lg"
      aria-label={isDark ? 'Use light theme' : 'Use dark theme'}
      onClick={() => setColorScheme(isDark ? 'light' : 'dark')}
    >
      {isDark ? <IconSun size={20} /> : <IconMoon size={20} />}
    </ActionIcon>
  );
}

function Navigation() {
  const may = useMay();
  return areas.filter((area) => isOpen(area, may)).map((area) => <AreaLink key={area.to} area={area} />);
}

function AreaLink({ area: { label, to, icon: AreaIcon, within } }: { area: Area }) {
  const { pathname } = useLocation();
  const may = useMay();
  const isHere = to === '/' ? pathname === '/' : `${pathname}/`.startsWith(`${to}/`);
  const shared = {
    label,
    active: isHere && !within,
    leftSection: <AreaIcon size={18} stroke={1.6} aria-hidden />,
    rightSection: to === '/approvals' ? <WaitingCount /> : undefined,
    'aria-current': isHere && !within ? ('page' as const) : undefined,
  };
  const places = within?.filter((place) => isOpen(place, may));
  if (!places) return <NavLink component={Link} to={to} {...shared} />;
  return (
    <>
      <NavLink component={Link} to={places[0].to} {...shared} />
      {isHere &&
        places.map((place) => (
          <NavLink
            key={place.to}
            component={Link}
            to={place.to}
            label={place.label}
            pl={44}
            active={`${pathname}/`.startsWith(`${place.to}/`)}
          />
        ))}
    </>
  );
}

function ConnectionLost() {
  const isConnected = useIsConnected();
  return (
    <div aria-live="polite">
      {!isConnected && (
        <Alert color="yellow" icon={<IconPlugConnectedX aria-hidden />} title="Connection lost" mb="md">
          The server does not respond, so this page may be out of date. The console reconnects automatically, and your
          input is kept.
        </Alert>
      )}
    </div>
  );
}
