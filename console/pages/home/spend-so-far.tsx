import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { dollars, percent } from '../../kit/figures.ts';
import { Section } from '../../kit/section.tsx';
import type { Today } from './today.ts';

/** What coding assistants cost this month, against as many days of the last one. */
export function SpendSoFar({ of: { thisMonth, lastMonthSoFar, lastMonth } }: { of: Today }) {
  const now = thisMonth?.total.chargedCents;
  if (now == null) return null;
  const before = lastMonthSoFar?.total.chargedCents;
  return (
    <Section title="Spend this month">
      <Text fz="1.75rem" fw={620} lh={1.2} className="figures">
        {dollars(now)}
      </Text>
      {before != null && (
        <Text size="sm" className="figures">
          {compared(Number(now), Number(before))} by this day of last month
        </Text>
      )}
      <Text size="sm" c="dimmed" className="figures" mt={4}>
        Last month in all: {dollars(lastMonth?.total.chargedCents)}
      </Text>
      <Anchor component={Link} to="/spend" size="sm" display="block" mt="xs">
        See what it went to
      </Anchor>
    </Section>
  );
}

function compared(now: number, before: number): string {
  if (!before) return `${dollars(before)}`;
  const change = (now - before) / before;
  if (Math.abs(change) < 0.005) return `As much as the ${dollars(before)}`;
  return `${percent(Math.abs(change))} ${change > 0 ? 'more' : 'less'} than the ${dollars(before)}`;
}
