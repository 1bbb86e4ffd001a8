import { Alert, Anchor, Button, Text } from '@mantine/core';
import { IconCalendarX, IconPlugConnected } from '@tabler/icons-react';
import { Link, useLocation } from 'react-router';
import { dayDifference, type DayRange } from '../../../src/platform/time/day.ts';
import { useMay } from '../../kit/me.tsx';
import { Empty } from '../../kit/empty.tsx';
import { dayName, rangeName } from './period.ts';

export interface ReportDays {
  dataSince: string | null;
  provisional: DayRange[];
  pending: DayRange[];
  lost: DayRange[];
}

const countOf = (ranges: readonly DayRange[]) =>
  ranges.reduce((sum, { from, to }) => sum + dayDifference(from, to) + 1, 0);
const days = (count: number) => (count === 1 ? '1 day' : `${count} days`);
/** "2 days (Nov 3, 2026, Nov 7, 2026 – …)"; names at most two ranges. */
const describe = (ranges: readonly DayRange[]) =>
  `${days(countOf(ranges))} (${ranges.slice(0, 2).map(rangeName).join(', ')}${ranges.length > 2 ? ', …' : ''})`;

/** Missing and provisional days of a report. */
export function DataQuality({ days: { dataSince, provisional, pending, lost } }: { days: ReportDays }) {
  const { search } = useLocation();
  const coverage = (
    <Anchor component={Link} to={`/spend/coverage${search}`} inherit underline="always">
      View coverage
    </Anchor>
  );
  return (
    <>
      {(lost.length > 0 || pending.length > 0) && (
        <Alert
          color="yellow"
          variant="light"
          mb="md"
          icon={<IconCalendarX aria-hidden />}
          title="Some days are missing from these totals"
        >
          {lost.length > 0 && <>Lost: {describe(lost)}. The vendor no longer provides this data. </>}
          {pending.length > 0 && <>Pending: {describe(pending)}. The sync is in progress. </>}
          {coverage}
        </Alert>
      )}
      {dataSince && (
        <Text size="xs" c="dimmed" mt="md">
          Data since {dayName(dataSince)}.{provisional.length > 0 && ` Provisional: ${describe(provisional)}.`}{' '}
          {coverage}
        </Text>
      )}
    </>
  );
}

/** Empty state before the first sync. */
export function NoUsageYet() {
  const may = useMay();
  return (
    <Empty
      icon={IconPlugConnected}
      title="No usage data yet"
      action={
        may('connections:manage') && (
          <Button component={Link} to="/integrations" variant="light">
            Go to integration settings
          </Button>
        )
      }
    >
      Connect Cursor to import usage. The last 30 days sync within minutes, then every hour.
    </Empty>
  );
}
