import { Badge, Group, Progress, Stack, Text } from '@mantine/core';
import { dollars } from '../../kit/figures.ts';
import type { Column } from '../../kit/rows.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { When } from '../../kit/when.tsx';
import { scopeNames, titleOf } from '../../features/spend/budget-scope.ts';
import type { Budget } from './budget-query.ts';

export const budgetColumns: readonly Column<Budget>[] = [
  {
    label: 'Budget',
    width: '20%',
    cell: ({ scope, name, counts }) => (
      <Stack gap={2}>
        <Text span inherit fw={550}>
          {scope === 'organization' ? scopeNames.organization : <Untrusted text={name ?? scopeNames[scope]} />}
        </Text>
        <Text size="xs" c="dimmed">
          {scope === 'organization' ? '' : `${scopeNames[scope]} · `}
          {counts === 'all_usage' ? 'All usage' : 'Overage only'}
        </Text>
      </Stack>
    ),
  },
  { label: 'Spent', width: '22%', isWide: true, cell: (budget) => <Spent {...budget} /> },
  { label: 'Remaining', isFigure: true, cell: ({ standing }) => <Remaining cents={standing?.remainingCents} /> },
  { label: 'Forecast', isFigure: true, cell: (budget) => <Forecast {...budget} /> },
  { label: 'Alerts', isWide: true, cell: (budget) => <Alerts {...budget} /> },
];

function Spent({ amountCents, standing, ...budget }: Budget) {
  const percent = standing?.percent ?? null;
  return (
    <Stack gap={4} w="100%">
      <Text size="sm" className="figures">
        {dollars(standing?.spentCents)} of {dollars(amountCents)}
        {percent !== null && ` (${percent}%)`}
      </Text>
      {percent !== null && (
        <Progress
          value={Math.min(100, percent)}
          size={6}
          color={percent >= 100 ? 'red' : undefined}
          aria-label={`${titleOf(budget)}: ${percent}% spent`}
        />
      )}
    </Stack>
  );
}

const Remaining = ({ cents }: { cents: string | null | undefined }) =>
  Number(cents) < 0 ? `${dollars(-Number(cents))} over` : dollars(cents);

function Forecast({ amountCents, standing }: Budget) {
  const forecast = standing?.forecastCents;
  if (forecast == null) return '–';
  return (
    <>
      {dollars(forecast)}
      {Number(forecast) > Number(amountCents) && (
        <Text size="xs" c="dimmed">
          Above budget
        </Text>
      )}
    </>
  );
}

/** The thresholds, and when each was reached. */
const Alerts = ({ thresholds, standing }: Budget) => (
  <Group gap={4}>
    {thresholds.map((threshold) => {
      const reached = standing?.alerts.find((alert) => alert.threshold === threshold);
      return reached ? (
        <Group key={threshold} gap={6} w="100%" wrap="nowrap">
          <Badge flex="none" color={threshold >= 100 ? 'red' : 'yellow'}>
            {threshold}%
          </Badge>
          <Text size="xs" c="dimmed">
            Reached <When at={reached.reachedAt} />
            {reached.spentCents && ` at ${dollars(reached.spentCents)}`}
          </Text>
        </Group>
      ) : (
        <Badge key={threshold} color="gray">
          {threshold}%
        </Badge>
      );
    })}
  </Group>
);
