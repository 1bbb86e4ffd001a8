import { Button, Title } from '@mantine/core';
import { IconArrowLeft, IconCoin } from '@tabler/icons-react';
import { Link, useLocation, useParams } from 'react-router';
import { useQuery } from 'urql';
import { useChangeEvents } from '../../api/change-events.ts';
import { graphql } from '../../api/graphql.ts';
import { Empty } from '../../kit/empty.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { NotFoundPage } from '../../kit/not-found.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { DataQuality } from './data-quality.tsx';
import { IndividualUsageGuard } from './individual-usage-guard.tsx';
import { PeriodBar } from './period-bar.tsx';
import { allMetrics, PersonDays } from './person-days.tsx';
import { useReportParameters } from './use-report-parameters.ts';

const totalQuery = graphql(
  `
    query SpendOfPerson($from: String!, $to: String!, $where: SpendReportFilter!, $personIds: [ID!]!) {
      spendReportPeople(personIds: $personIds) {
        name
      }
      spendReport(from: $from, to: $to, by: person, where: $where, first: 1) {
        nodes {
          ...AllMetrics
        }
        days {
          dataSince
          provisional {
            from
            to
          }
          pending {
            from
            to
          }
          lost {
            from
            to
          }
        }
      }
    }
  `,
  [allMetrics],
);
/** All metrics of one person per day. The path has the person's id, or `identity-` and the id of an unmatched identity. */
export const Component = () => (
  <IndividualUsageGuard>
    <PersonUsage />
  </IndividualUsageGuard>
);

function PersonUsage() {
  const { id = '' } = useParams();
  const { search } = useLocation();
  const { from, to, where: filters } = useReportParameters();
  const identityId = /^identity-(.+)$/.exec(id)?.[1];
  const personIds = identityId ? [] : [id];
  const where = {
    connectionIds: filters.connectionIds,
    ...(identityId ? { identityIds: [identityId] } : { personIds }),
  };
  const [result, refetch] = useQuery({ query: totalQuery, variables: { from, to, where, personIds } });
  useChangeEvents('spend', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <>
      <Button
        component={Link}
        to={`/spend/people${search}`}
        variant="subtle"
        size="compact-sm"
        mb="xs"
        leftSection={<IconArrowLeft size={14} aria-hidden />}
      >
        All people
      </Button>
      <PeriodBar by={['connection']} />
      <Loaded result={result} refetch={refetch}>
        {({ spendReport: { nodes, days }, spendReportPeople: people }) =>
          identityId || people[0] ? (
            <>
              <Title order={2} mb="xs">
                <Untrusted text={people[0]?.name ?? nodes[0]?.name ?? 'Unattributed'} />
              </Title>
              {nodes[0] ? <PersonDays key={id} total={nodes[0]} range={{ from, to }} where={where} /> : <NoUsage />}
              <DataQuality days={days} />
            </>
          ) : (
            <NotFoundPage />
          )
        }
      </Loaded>
    </>
  );
}

const NoUsage = () => (
  <Empty icon={IconCoin} title="This person has no usage in this period">
    Choose another period.
  </Empty>
);
