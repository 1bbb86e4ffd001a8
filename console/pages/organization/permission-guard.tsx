import { IconLock } from '@tabler/icons-react';
import { Outlet, useLocation } from 'react-router';
import { useMay } from '../../kit/me.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Page } from '../../kit/page.tsx';
import { isOpen } from '../../kit/place.ts';
import { organizationPlaces } from './places.ts';

/** Hides pages on which the member has no permission. */
export function Component() {
  const may = useMay();
  const { pathname } = useLocation();
  const place = organizationPlaces.find(({ to }) => `${pathname}/`.startsWith(`${to}/`));
  if (!place || isOpen(place, may)) return <Outlet />;
  return (
    <Page title={place.label}>
      <Empty icon={IconLock} title="Administrator access required">
        Ask an administrator to make changes here.
      </Empty>
    </Page>
  );
}
