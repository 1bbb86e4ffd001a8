import { MultiSelect } from '@mantine/core';
import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { visible } from '../../kit/visible.ts';
import { useQueryParameters } from './use-query-parameters.ts';

const feedNames = graphql(`
  query SpendFeedNames {
    spendFeeds {
      connectionId
      connectionName
      vendor
    }
  }
`);

/** Filters by connection, listed by vendor. */
export function VendorFilter() {
  const { params, change } = useQueryParameters();
  const [{ data }] = useQuery({ query: feedNames });
  if (!data?.spendFeeds.length) return null;
  const chosen = params.getAll('connection');
  const byVendor = Map.groupBy(data.spendFeeds, ({ vendor }) => vendor);
  return (
    <MultiSelect
      label="Vendor"
      size="sm"
      w={{ base: '100%', xs: 'auto' }}
      miw={170}
      maw={{ xs: 320 }}
      placeholder={chosen.length ? undefined : 'All vendors'}
      clearable
      clearButtonProps={{ 'aria-label': 'Clear Vendor' }}
      data={[...byVendor].map(([vendor, feeds]) => ({
        group: visible(vendor),
        items: feeds.map(({ connectionId, connectionName }) => ({
          value: connectionId,
          label: visible(connectionName),
        })),
      }))}
      value={chosen}
      onChange={(ids) => change({ connection: ids })}
    />
  );
}
