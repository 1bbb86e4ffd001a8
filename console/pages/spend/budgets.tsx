import { ActionIcon, Button, Group, Menu, Text, TextInput } from '@mantine/core';
import { IconDots, IconGauge, IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { today } from '../../../src/platform/time/day.ts';
import { useMay } from '../../kit/me.tsx';
import { graphql } from '../../api/graphql.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Empty } from '../../kit/empty.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import { usePages } from '../../kit/use-pages.ts';
import { titleOf } from '../../features/spend/budget-scope.ts';
import { type Budget, budgetsQuery } from './budget-query.ts';
import { BudgetForm } from './budget-form.tsx';
import { budgetColumns } from './budget-columns.tsx';

const removeBudget = graphql(`
  mutation RemoveSpendBudget($input: SpendBudgetInput!) {
    removeSpendBudget(input: $input) {
      id
    }
  }
`);

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
      Create budget
    </Button>
  );
  const actions: Column<Budget>[] = may('spend:manage')
    ? [
        {
          label: 'Actions',
          width: '1%',
          cell: (budget) => (
            <BudgetMenu budget={budget} edit={() => setEdited(budget)} remove={() => setRemoved(budget)} />
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
        columns={[...budgetColumns, ...actions]}
        empty={
          <Empty icon={IconGauge} title="No budgets yet" action={add}>
            Create a budget to set a monthly amount and get alerts when thresholds are reached. Budgets do not stop
            usage.
          </Empty>
        }
      />
      {edited && (
        <BudgetForm
          budget={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onDone={() => {
            setEdited(null);
            pages.refetch();
          }}
        />
      )}
      {removed && <RemoveBudget budget={removed} onClose={() => setRemoved(null)} onDone={pages.refetch} />}
    </>
  );
}

const BudgetMenu = ({ budget, edit, remove }: { budget: Budget; edit(): void; remove(): void }) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${titleOf(budget)}`}>
        <IconDots size={18} />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item onClick={edit}>Edit budget</Menu.Item>
      <Menu.Item color="red" onClick={remove}>
        Remove budget
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);

function RemoveBudget({ budget, onClose, onDone }: { budget: Budget; onClose(): void; onDone(): void }) {
  const change = useChange(removeBudget, {
    done: 'Budget removed.',
    onDone: () => {
      onClose();
      onDone();
    },
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={`Remove budget: ${titleOf(budget)}?`}
      verb="Remove budget"
      problem={change.problem}
      isSending={change.isSending}
      onConfirm={() => void change.send({ input: { budgetId: budget.id } })}
    >
      <Text size="sm">Its alerts stop. Past alerts stay in the audit log.</Text>
    </Confirm>
  );
}
