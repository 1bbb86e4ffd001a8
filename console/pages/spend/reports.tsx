import { Button } from '@mantine/core';
import { IconUsersGroup } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useMay } from '../../kit/me.tsx';
import { Page } from '../../kit/page.tsx';
import { RouteTabs } from '../../kit/route-tabs.tsx';

const tabs = [
  { path: 'overview', label: 'Overview' },
  { path: 'people', label: 'People' },
  { path: 'groups', label: 'Groups' },
  { path: 'cost-centres', label: 'Cost centres' },
  { path: 'models', label: 'Models' },
  { path: 'changes', label: 'Changes' },
  { path: 'seats', label: 'Seats' },
  { path: 'budgets', label: 'Budgets' },
  { path: 'coverage', label: 'Coverage' },
  { path: 'export', label: 'Export' },
];

/** Reports on cost and usage, for everyone who may see totals. */
export function Component() {
  const may = useMay();
  return (
    <Page
      title="Spend"
      lead="Cost and usage of AI coding assistants per UTC day, as reported by their vendors."
      actions={
        may('spend:manage') && (
          <Button
            component={Link}
            to="/spend/identities"
            variant="default"
            leftSection={<IconUsersGroup size={16} aria-hidden />}
          >
            People and identities
          </Button>
        )
      }
    >
      <RouteTabs base="/spend" tabs={tabs} label="Spend" keepsFilters />
    </Page>
  );
}
