import { useQuery } from 'urql';
import { graphql } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { figuresRow } from './figures-row.ts';
import { OverTime } from './over-time.tsx';
import { PeriodBar } from './period-bar.tsx';
import { dayName, perOf, rangeName } from './period.ts';
import { DataQuality, NoUsageYet } from './data-quality.tsx';
import { Tiles } from './tiles.tsx';
import { useReportParameters } from './use-report-parameters.ts';

const overviewQuery = graphql(
  `
    query SpendOverview(
      $from: String!
      $to: String!
      $beforeFrom: String!
      $beforeTo: String!
      $per: SpendReportPer!
      $where: SpendReportFilter!
    ) {
      now: spendReport(from: $from, to: $to, where: $where) {
        nodes {
          ...FiguresRow
          activePeople
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
      before: spendReport(from: $beforeFrom, to: $beforeTo, where: $where) {
        nodes {
          ...FiguresRow
          activePeople
        }
      }
      overTime: spendReport(from: $from, to: $to, per: $per, where: $where, first: 200) {
        nodes {
          ...FiguresRow
          activePeople
        }
      }
    }
  `,
  [figuresRow],
);

export function Component() {
  const { from, to, before, where } = useReportParameters();
  const [chosenPer] = useFilter('per');
  const [result, refetch] = useQuery({
    query: overviewQuery,
    variables: {
      from,
      to,
      beforeFrom: before.from,
      beforeTo: before.to,
      per: perOf(chosenPer, { from, to }),
      where,
    },
  });
  useChangeEvents('spend', () => refetch({ requestPolicy: 'network-only' }));
  return (
    <>
      <PeriodBar />
      <Loaded result={result} refetch={refetch}>
        {({ now, before: earlier, overTime }) => {
          const { dataSince } = now.days;
          if (!dataSince) return <NoUsageYet />;
          const isComparable = dataSince <= before.from;
          return (
            <>
              <Tiles
                now={now.nodes[0]}
                before={earlier.nodes[0]}
                isComparable={isComparable}
                compared={
                  isComparable
                    ? `Changes are relative to ${rangeName(before)}.`
                    : `No data for the previous period. Data starts on ${dayName(dataSince)}.`
                }
              />
              <OverTime range={{ from, to }} rows={overTime.nodes} />
              <DataQuality days={now.days} />
            </>
          );
        }}
      </Loaded>
    </>
  );
}
