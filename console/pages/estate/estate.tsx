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
    lead="Which AI tools are configured where, and what is wrong with it. All of it is a lower bound: what uploads nothing is not seen."
  >
    <RouteTabs base="/estate" tabs={tabs} label="AI estate" />
  </Page>
);
