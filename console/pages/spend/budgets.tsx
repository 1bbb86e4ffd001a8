import { ActionIcon, Badge, Button, Group, Menu, Progress, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { IconDots, IconGauge, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { today } from '../../../src/spend/reports/day-range.ts';
import { useMay } from '../../app/me.tsx';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Empty } from '../../kit/empty.tsx';
import { dollars } from '../../kit/figures.ts';
import { type Column, Rows } from '../../kit/rows.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { usePages } from '../../kit/use-pages.ts';
import { visible } from '../../kit/visible.ts';
import { When } from '../../kit/when.tsx';
import { BudgetForm } from './budget-form.tsx';

const budgetsQuery = graphql(`
  query SpendBudgets($month: String, $first: Int!, $after: String) {
    spendBudgets(first: $first, after: $after) {
      nodes {
        id
        scope
        name
        counts
        amountCents
        thresholds
        version
        standing(month: $month) {
          month
          spentCents
          remainingCents
          percent
          forecastCents
          alerts {
            threshold
            reachedAt
            spentCents
          }
          days {
            lost {
              from
              to
            }
          }
        }
      }
      totalCount
      pageInfo {
        hasNextPage
        endCursor
      }
    }
  }
`);
const removeBudget = graphql(`
  mutation RemoveSpendBudget($input: SpendBudgetInput!) {
    removeSpendBudget(input: $input) {
      id
    }
  }
`);
export type Budget = ResultOf<typeof budgetsQuery>['spendBudgets']['nodes'][number];

export const scopeNames = {
  organization: 'The whole organization',
  group: 'Group',
  cost_centre: 'Cost centre',
  person: 'Person',
};

/** What a budget is for, as text: for titles and labels. */
export const titleOf = ({ scope, name }: Pick<Budget, 'scope' | 'name'>): string =>
  scope === 'organization' ? scopeNames.organization : visible(name ?? scopeNames[scope]);

export function Component() {
  const may = useMay();
  const [chosen, setMonth] = useFilter('month');
  const month = chosen && /^\d{4}-\d\d$/.test(chosen) ? chosen : today().slice(0, 7);
  const [edited, setEdited] = useState<Budget | 'new' | null>(null);
  const [removed, setRemoved] = useState<Budget | null>(null);
  const pages = usePages({
    query: budgetsQuery,
    variables: { month: `${month}-01` },
    pick: ({ spendBudgets }) => spendBudgets,
    news: 'spend',
  });
  const add = may('spend:manage') && (
    <Button leftSection={<IconPlus size={16} aria-hidden />} onClick={() => setEdited('new')}>
      New budget
    </Button>
  );
  const actions: Column<Budget>[] = may('spend:manage')
    ? [
        {
          label: 'Actions',
          width: '1%',
          cell: (budget) => (
            <BudgetMenu budget={budget} change={() => setEdited(budget)} remove={() => setRemoved(budget)} />
          ),
        },
      ]
    : [];
  return (
    <>
      <Group justify="space-between" align="flex-end" mb="md">
        <TextInput
          type="month"
          label="Month"
          size="sm"
          value={month}
          max={today().slice(0, 7)}
          onChange={({ currentTarget }) => setMonth(currentTarget.value || null)}
        />
        {Boolean(pages.nodes?.length) && add}
      </Group>
      <Rows
        label="Budgets"
        pages={pages}
        keyOf={({ id }) => id}
        columns={[...columns, ...actions]}
        empty={
          <Empty icon={IconGauge} title="No budgets yet" action={add}>
            A budget says what may be spent in a month, and tells you when a share of it is reached. It never stops
            anybody.
          </Empty>
        }
      />
      {edited && (
        <BudgetForm
          budget={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onDone={() => {
            setEdited(null);
            pages.again();
          }}
        />
      )}
      {removed && <Removing budget={removed} onClose={() => setRemoved(null)} onDone={pages.again} />}
    </>
  );
}

const columns: readonly Column<Budget>[] = [
  {
    label: 'Budget',
    width: '26%',
    cell: ({ scope, name, counts }) => (
      <Stack gap={2}>
        <Text span inherit fw={550}>
          {scope === 'organization' ? scopeNames.organization : <Untrusted text={name ?? scopeNames[scope]} />}
        </Text>
        <Text size="xs" c="dimmed">
          {scope === 'organization' ? '' : `${scopeNames[scope]} · `}
          {counts === 'all_usage' ? 'all usage' : 'only what is charged on top'}
        </Text>
      </Stack>
    ),
  },
  { label: 'Spent', width: '26%', cell: (budget) => <Spent {...budget} /> },
  { label: 'Left', isFigure: true, cell: ({ standing }) => <Left cents={standing?.remainingCents} /> },
  { label: 'At this pace', isFigure: true, cell: (budget) => <Forecast {...budget} /> },
  { label: 'Told at', cell: (budget) => <Alerts {...budget} /> },
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

const Left = ({ cents }: { cents: string | null | undefined }) =>
  Number(cents) < 0 ? `${dollars(-Number(cents))} over` : dollars(cents);

function Forecast({ amountCents, standing }: Budget) {
  const forecast = standing?.forecastCents;
  if (forecast == null) return '–';
  return (
    <>
      {dollars(forecast)}
      {Number(forecast) > Number(amountCents) && (
        <Text size="xs" c="dimmed">
          above the budget
        </Text>
      )}
    </>
  );
}

const Alerts = ({ thresholds, standing }: Budget) => (
  <Group gap={4}>
    {thresholds.map((threshold) => {
      const reached = standing?.alerts.find((alert) => alert.threshold === threshold);
      return reached ? (
        <Tooltip
          key={threshold}
          label={
            <>
              Reached <When at={reached.reachedAt} />
              {reached.spentCents && ` at ${dollars(reached.spentCents)}`}
            </>
          }
        >
          <Badge color={threshold >= 100 ? 'red' : 'yellow'} tabIndex={0}>
            {threshold}% reached
          </Badge>
        </Tooltip>
      ) : (
        <Badge key={threshold} color="gray">
          {threshold}%
        </Badge>
      );
    })}
  </Group>
);

const BudgetMenu = ({ budget, change, remove }: { budget: Budget; change(): void; remove(): void }) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${titleOf(budget)}`}>
        <IconDots size={18} />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item onClick={change}>Change</Menu.Item>
      <Menu.Item color="red" onClick={remove}>
        Remove
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);

function Removing({ budget, onClose, onDone }: { budget: Budget; onClose(): void; onDone(): void }) {
  const change = useChange(removeBudget, {
    done: 'The budget is removed.',
    onDone: () => {
      onClose();
      onDone();
    },
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={`Remove the budget of ${titleOf(budget)}?`}
      verb="Remove budget"
      problem={change.problem}
      isSending={change.isSending}
      onConfirm={() => void change.send({ input: { budgetId: budget.id } })}
    >
      <Text size="sm">
        Nobody is told any more when shares of it are reached. What was told stays in the audit log.
      </Text>
    </Confirm>
  );
}
