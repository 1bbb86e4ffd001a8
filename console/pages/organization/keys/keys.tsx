import { useMay } from '../../../kit/me.tsx';
import { Page } from '../../../kit/page.tsx';
import { RouteTabs } from '../../../kit/route-tabs.tsx';

export function Component() {
  const may = useMay();
  return (
    <Page
      title="Keys and tokens"
      lead="Credentials for your machines, scripts and members’ terminals. For A2A keys, open the configuration under Agents."
    >
      <RouteTabs
        base="/organization/keys"
        label="Keys and tokens"
        tabs={[
          { path: 'machines', label: 'Tenant keys' },
          { path: 'admin-tokens', label: 'Admin tokens', isHidden: !may('organization:manage') },
          { path: 'terminals', label: 'Terminals', isHidden: !may('organization:manage') },
        ]}
      />
    </Page>
  );
}
