import { Page } from '../../kit/page.tsx';
import { RouteTabs } from '../../kit/route-tabs.tsx';
import { RangeBar } from './range-bar.tsx';

const tabs = [
  { path: 'approvals', label: 'Approvals' },
  { path: 'policies', label: 'Policies' },
  { path: 'tools', label: 'Tools' },
];

/** Reports on how calls are governed, for administrators and auditors. */
export function Component() {
  return (
    <Page title="Reports" lead="How long approvals take, and which policies and tools are not needed.">
      <RangeBar />
      <RouteTabs base="/reports" tabs={tabs} label="Reports" keepsFilters />
    </Page>
  );
}
