import { IconLock } from '@tabler/icons-react';
import { Outlet, useLocation } from 'react-router';
import { areas, isOpen } from '../../app/areas.ts';
import { useMay } from '../../app/me.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Page } from '../../kit/page.tsx';

const places = areas.find(({ to }) => to === '/organization')?.within ?? [];

/** Shows nobody a page whose every button the server would refuse. */
export function Component() {
  const may = useMay();
  const { pathname } = useLocation();
  const place = places.find(({ to }) => `${pathname}/`.startsWith(`${to}/`));
  if (!place || isOpen(place, may)) return <Outlet />;
  return (
    <Page title={place.label}>
      <Empty icon={IconLock} title="Administrators look after this">
        Ask one of them if something should be changed.
      </Empty>
    </Page>
  );
}
