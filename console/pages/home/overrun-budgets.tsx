import { Badge } from '@mantine/core';
import { dollars } from '../../kit/figures.ts';
import { Section } from '../../kit/section.tsx';
import { titleOf } from '../../features/spend/budget-scope.ts';
import { Entries, Entry } from './entries.tsx';
import type { HomeData } from './home-query.ts';

/** Budgets whose amount is spent, the most exceeded first. */
export const overrunBudgets = ({ spendBudgets }: HomeData) =>
  (spendBudgets?.nodes ?? [])
    .filter(({ standing }) => (standing?.percent ?? 0) >= 100)
    .toSorted((a, b) => b.standing!.percent! - a.standing!.percent!);

const shownCount = 5;

export function OverrunBudgets({ of: today }: { of: HomeData }) {
  const budgets = overrunBudgets(today);
  if (!budgets.length) return null;
  return (
    <Section title="Budgets spent">
      <Entries>
        {budgets.slice(0, shownCount).map((budget) => (
          <Entry
            key={budget.id}
            to="/spend/budgets"
            title={<bdi>{titleOf(budget)}</bdi>}
            about={`${dollars(budget.standing!.spentCents)} of ${dollars(budget.amountCents)} this month`}
            aside={<Badge color="red">{budget.standing!.percent}%</Badge>}
          />
        ))}
      </Entries>
    </Section>
  );
}
