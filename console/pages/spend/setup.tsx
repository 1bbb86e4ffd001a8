import { IconLock } from '@tabler/icons-react';
import { useMay } from '../../app/me.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Page } from '../../kit/page.tsx';
import { RouteTabs } from '../../kit/route-tabs.tsx';

const tabs = [
  { path: 'identities', label: 'Identities' },
  { path: 'directory', label: 'People' },
  { path: 'units', label: 'Groups and cost centres' },
  { path: 'lists', label: 'Lists' },
  { path: 'privacy', label: 'Privacy' },
];

/** Whose usage it is, where people belong, and who may see it: matters of administrators. */
export function Component() {
  const may = useMay();
  return (
    <Page
      title="Who is who"
      lead="Whose usage it is that vendors tell of, where people belong, and who sees single people."
      trail={[['Spend', '/spend/overview']]}
    >
      {may('spend:manage') ? (
        <RouteTabs base="/spend" tabs={tabs} label="Who is who" />
      ) : (
        <Empty icon={IconLock} title="This is for administrators">
          Ask one of them to match identities, or to change groups and cost centres.
        </Empty>
      )}
    </Page>
  );
}
