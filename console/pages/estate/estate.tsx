import { Page } from '../../kit/page.tsx';
import { RouteTabs } from '../../kit/route-tabs.tsx';

const tabs = [
  { path: 'overview', label: 'Overview' },
  { path: 'findings', label: 'Findings' },
  { path: 'files', label: 'Files' },
  { path: 'servers', label: 'Servers' },
  { path: 'approved', label: 'Approved list' },
  { path: 'sources', label: 'Sources' },
  { path: 'rules', label: 'Rules and advisories' },
];

export const Component = () => (
  <Page
    title="AI estate"
    lead="AI tools that are configured on devices and in folders, with findings. Devices that don't upload are not included."
  >
    <RouteTabs base="/estate" tabs={tabs} label="AI estate" />
  </Page>
);
