import { Alert, Anchor, Button, Text } from '@mantine/core';
import { IconCalendarX, IconPlugConnected } from '@tabler/icons-react';
import { Link, useLocation } from 'react-router';
import { daysBetween, type Range } from '../../../src/spend/reports/day-range.ts';
import { useMay } from '../../app/me.tsx';
import { Empty } from '../../kit/empty.tsx';
import { dayName, rangeName } from './period.ts';

export interface ReportDays {
  dataSince: string | null;
  provisional: Range[];
  pending: Range[];
  lost: Range[];
}

const countOf = (ranges: readonly Range[]) => ranges.reduce((sum, { from, to }) => sum + daysBetween(from, to) + 1, 0);
const days = (count: number) => (count === 1 ? '1 day' : `${count} days`);
/** "2 days (Nov 3, 2026, Nov 7, 2026 – …)"; of many, the first two. */
const named = (ranges: readonly Range[]) =>
  `${days(countOf(ranges))} (${ranges.slice(0, 2).map(rangeName).join(', ')}${ranges.length > 2 ? ', …' : ''})`;

/** How far what is shown can be relied on. */
export function Reliance({ days: { dataSince, provisional, pending, lost } }: { days: ReportDays }) {
  const { search } = useLocation();
  const coverage = (
    <Anchor component={Link} to={`/spend/coverage${search}`} inherit underline="always">
      See each day
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
          title="Not all days are in these sums"
        >
          {lost.length > 0 && <>{named(lost)} were never read, and the vendor no longer tells them. </>}
          {pending.length > 0 && <>{named(pending)} are not read yet; this is under way. </>}
          {coverage}
        </Alert>
      )}
      {dataSince && (
        <Text size="xs" c="dimmed" mt="md">
          Known since {dayName(dataSince)}.
          {provisional.length > 0 && ` The vendor may still correct ${named(provisional)}.`} {coverage}
        </Text>
      )}
    </>
  );
}

/** Before anything was pulled. */
export function NoUsageYet() {
  const may = useMay();
  return (
    <Empty
      icon={IconPlugConnected}
      title="No usage is known yet"
      action={
        may('connections:manage') && (
          <Button component={Link} to="/integrations" variant="light">
            To integration settings
          </Button>
        )
      }
    >
      Usage comes from the vendors of coding assistants: connect Cursor, and the last thirty days are fetched within
      minutes, then every hour.
    </Empty>
  );
}
