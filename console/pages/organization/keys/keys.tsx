import { useMay } from '../../../app/me.tsx';
import { Page } from '../../../kit/page.tsx';
import { RouteTabs } from '../../../kit/route-tabs.tsx';

export function Component() {
  const may = useMay();
  return (
    <Page
      title="Keys and tokens"
      lead="For machines and programs of your own. What an agent sends tasks with is a key of its configuration, under Agents."
    >
      <RouteTabs
        base="/organization/keys"
        label="Keys and tokens"
        tabs={[
          { path: 'machines', label: 'Tenant keys' },
          { path: 'admin-tokens', label: 'Admin tokens', isHidden: !may('organization:manage') },
        ]}
      />
    </Page>
  );
}
