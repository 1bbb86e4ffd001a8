import { IconLock } from '@tabler/icons-react';
import { Outlet, useLocation } from 'react-router';
import { areas, isOpen } from '../../app/areas.ts';
import { useMay } from '../../app/me.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Page } from '../../kit/page.tsx';

const places = areas.find(({ to }) => to === '/organization')?.within ?? [];

/** Hides pages on which the member has no permission. */
export function Component() {
  const may = useMay();
  const { pathname } = useLocation();
  const place = places.find(({ to }) => `${pathname}/`.startsWith(`${to}/`));
  if (!place || isOpen(place, may)) return <Outlet />;
  return (
    <Page title={place.label}>
      <Empty icon={IconLock} title="Administrator access required">
        Ask an administrator to make changes here.
      </Empty>
    </Page>
  );
}
