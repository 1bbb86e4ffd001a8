import { Anchor, Text } from '@mantine/core';
import { Link } from 'react-router';
import { dollars, percent } from '../../kit/figures.ts';
import { Section } from '../../kit/section.tsx';
import type { HomeData } from './home-query.ts';

export const hasSpend = ({ thisMonth }: HomeData): boolean => thisMonth?.total.chargedCents != null;

/** The cost of coding assistants this month, compared with the same number of days last month. */
export function MonthlySpend({ of: { thisMonth, lastMonthSoFar, lastMonth } }: { of: HomeData }) {
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
          {comparison(Number(now), Number(before))}
        </Text>
      )}
      <Text size="sm" c="dimmed" className="figures" mt={4}>
        Last month total: {dollars(lastMonth?.total.chargedCents)}
      </Text>
      <Anchor component={Link} to="/spend" size="sm" display="block" mt="xs">
        View breakdown
      </Anchor>
    </Section>
  );
}

function comparison(now: number, before: number): string {
  const base = `${dollars(before)} at this point last month`;
  if (!before) return base;
  const change = (now - before) / before;
  if (Math.abs(change) < 0.005) return `Same as ${base}`;
  return `${percent(Math.abs(change))} ${change > 0 ? 'more' : 'less'} than ${base}`;
}
