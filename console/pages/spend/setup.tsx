import { IconLock } from '@tabler/icons-react';
import { useMay } from '../../kit/me.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Page } from '../../kit/page.tsx';
import { RouteTabs } from '../../kit/route-tabs.tsx';

const tabs = [
  { path: 'identities', label: 'Identities' },
  { path: 'directory', label: 'People' },
  { path: 'units', label: 'Groups and cost centres' },
  { path: 'lists', label: 'Import' },
  { path: 'privacy', label: 'Privacy' },
];

/** Identity matching, groups, and privacy, for administrators. */
export function Component() {
  const may = useMay();
  return (
    <Page
      title="People and identities"
      lead="Match vendor identities to people, assign groups and cost centres, and control access to individual usage."
      trail={[['Spend', '/spend/overview']]}
    >
      {may('spend:manage') ? (
        <RouteTabs base="/spend" tabs={tabs} label="People and identities" />
      ) : (
        <Empty icon={IconLock} title="Administrator access required">
          Ask an administrator to match identities or to change groups and cost centres.
        </Empty>
      )}
    </Page>
  );
}
