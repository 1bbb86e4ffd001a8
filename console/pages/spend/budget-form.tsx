import { Button, Group, Modal, NumberInput, Radio, Select, Stack, TagsInput, Text } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { type Budget, scopeNames, titleOf } from './budgets.tsx';
import { PersonSelect } from './person-select.tsx';
import { UnitSelect } from './unit-select.tsx';

const createBudget = graphql(`
  mutation CreateSpendBudget($input: CreateSpendBudgetInput!) {
    createSpendBudget(input: $input) {
      id
    }
  }
`);
const changeBudget = graphql(`
  mutation ChangeSpendBudget($input: ChangeSpendBudgetInput!) {
    changeSpendBudget(input: $input) {
      id
    }
  }
`);

interface Props {
  /** Null: a new one. */
  budget: Budget | null;
  onClose(): void;
  onDone(): void;
}

interface Values {
  scope: Budget['scope'];
  unitId: string | null;
  personId: string | null;
  counts: Budget['counts'];
  dollars: number | string;
  thresholds: string[];
}

export function BudgetForm({ budget, onClose, onDone }: Props) {
  const form = useForm<Values>({
    initialValues: {
      scope: budget?.scope ?? 'organization',
      unitId: null,
      personId: null,
      counts: budget?.counts ?? 'all_usage',
      dollars: budget ? Number(budget.amountCents) / 100 : '',
      thresholds: (budget?.thresholds ?? [50, 80, 100]).map(String),
    },
    validate: {
      dollars: (value) => (Number(value) > 0 ? null : 'Say how much, above nought.'),
      thresholds: (values) =>
        values.length && values.every(isShare) ? null : 'Whole percents from 1 to 1000, at least one.',
      unitId: (value, { scope }) => (!budget && isOfUnit(scope) && !value ? 'Choose one.' : null),
      personId: (value, { scope }) => (!budget && scope === 'person' && !value ? 'Choose somebody.' : null),
    },
  });
  const create = useChange(createBudget, { done: 'The budget is set.', onDone });
  const change = useChange(changeBudget, { done: 'The budget is changed.', onDone });
  const problem = create.problem ?? change.problem;

  const submit = ({ scope, unitId, personId, counts, ...values }: Values) => {
    const amount = {
      amountCents: String(Math.round(Number(values.dollars) * 100)),
      thresholds: values.thresholds.map(Number),
    };
    if (budget) return change.send({ input: { budgetId: budget.id, basedOn: budget.version, ...amount } });
    return create.send({
      input: {
        scope,
        counts,
        unitId: isOfUnit(scope) ? unitId : null,
        personId: scope === 'person' ? personId : null,
        ...amount,
      },
    });
  };

  return (
    <Modal opened onClose={onClose} title={budget ? `Budget of ${titleOf(budget)}` : 'New budget'}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          {problem && <ProblemNote problem={problem} />}
          {!budget && <WhatFor form={form} />}
          <NumberInput
            label="For a calendar month"
            description="US dollars. Months begin and end in UTC."
            prefix="$"
            thousandSeparator=","
            min={0}
            decimalScale={2}
            required
            {...form.getInputProps('dollars')}
            error={form.errors.dollars ?? faultOf(problem, 'amountCents')}
          />
          <TagsInput
            label="Tell when these shares are reached"
            description="In percent. Each is told once a month; nothing is stopped."
            placeholder="Type a number, then Enter"
            splitChars={[',', ' ', '%']}
            {...form.getInputProps('thresholds')}
            error={form.errors.thresholds ?? faultOf(problem, 'thresholds')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isSending || change.isSending}>
              {budget ? 'Save' : 'Set budget'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const isOfUnit = (scope: Budget['scope']): scope is 'group' | 'cost_centre' =>
  scope === 'group' || scope === 'cost_centre';
const isShare = (text: string) => /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 1000;

function WhatFor({ form }: { form: UseFormReturnType<Values> }) {
  const { scope } = form.values;
  return (
    <>
      <Select
        label="For"
        data={Object.entries(scopeNames).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...form.getInputProps('scope')}
      />
      {isOfUnit(scope) && <UnitSelect key={scope} kind={scope} {...form.getInputProps('unitId')} />}
      {scope === 'person' && (
        <>
          <PersonSelect label="Person" {...form.getInputProps('personId')} />
          <Text size="xs" c="dimmed">
            You are told that a share was reached, and no figure of that person, unless you are an analyst who sees
            them.
          </Text>
        </>
      )}
      <Radio.Group label="Counts" {...form.getInputProps('counts')}>
        <Stack gap={6} mt={6}>
          <Radio value="all_usage" label="All usage, also what the subscription includes" />
          <Radio value="usage_based" label="Only what is charged on top" />
        </Stack>
      </Radio.Group>
    </>
  );
}
