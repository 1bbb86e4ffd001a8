import { Tabs } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { Outlet, useLocation, useNavigate } from 'react-router';
import './route-tabs.css';

export interface RouteTab {
  /** The last segment of its path: "a2a". */
  path: string;
  label: string;
  /** Omitted from the tab list. */
  isHidden?: boolean;
}

interface Props {
  base: string;
  tabs: readonly RouteTab[];
  label: string;
  /** Keeps the query parameters when the tab changes. */
  keepsFilters?: boolean;
}

/** Tabs that are routes; the child routes are the panels. */
export function RouteTabs({ base, tabs, label, keepsFilters = false }: Props) {
  const { pathname, search } = useLocation();
  const navigate = useNavigate();
  const active = tabs.find(({ path }) => `${pathname}/`.startsWith(`${base}/${path}/`))?.path ?? tabs[0].path;
  const row = useRef<HTMLDivElement>(null);
  useEffect(() => show(row.current, active), [active]);
  return (
    <Tabs
      value={active}
      onChange={(path) => path && void navigate(`${base}/${path}${keepsFilters ? search : ''}`)}
      activateTabWithKeyboard={false}
      keepMounted={false}
    >
      <Tabs.List ref={row} aria-label={label} mb="md" className="tabs">
        {tabs
          .filter(({ isHidden }) => !isHidden)
          .map(({ path, label }) => (
            <Tabs.Tab key={path} value={path} data-path={path}>
              {label}
            </Tabs.Tab>
          ))}
      </Tabs.List>
      <Tabs.Panel value={active}>
        <Outlet />
      </Tabs.Panel>
    </Tabs>
  );
}

/** Scrolls the tab list so that the active tab is in the middle. */
function show(row: HTMLElement | null, path: string): void {
  const tab = row?.querySelector<HTMLElement>(`[data-path="${path}"]`);
  if (row && tab) row.scrollLeft = tab.offsetLeft - row.offsetLeft - (row.clientWidth - tab.offsetWidth) / 2;
}
