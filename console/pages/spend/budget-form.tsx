import { Button, Group, Modal, NumberInput, Radio, Select, Stack, TagsInput, Text } from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { scopeNames, titleOf } from '../../features/spend/budget-scope.ts';
import type { Budget } from './budget-query.ts';
import { PersonSelect } from './person-select.tsx';
import { UnitSelect } from './unit-select.tsx';

const createBudget = graphql(`
  mutation CreateSpendBudget($input: CreateSpendBudgetInput!) {
    createSpendBudget(input: $input) {
      id
    }
  }
`);
const updateBudget = graphql(`
  mutation UpdateSpendBudget($input: UpdateSpendBudgetInput!) {
    updateSpendBudget(input: $input) {
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
      dollars: (value) => (Number(value) > 0 ? null : 'Enter an amount above 0.'),
      thresholds: (values) =>
        values.length && values.every(isThreshold) ? null : 'Enter at least one whole percentage from 1 to 1000.',
      unitId: (value, { scope }) => (!budget && isOfUnit(scope) && !value ? 'Select a group or cost centre.' : null),
      personId: (value, { scope }) => (!budget && scope === 'person' && !value ? 'Select a person.' : null),
    },
  });
  const create = useChange(createBudget, { done: 'Budget created.', onDone });
  const update = useChange(updateBudget, { done: 'Budget updated.', onDone });
  const problem = create.problem ?? update.problem;

  const submit = ({ scope, unitId, personId, counts, ...values }: Values) => {
    const amount = {
      amountCents: String(Math.round(Number(values.dollars) * 100)),
      thresholds: values.thresholds.map(Number),
    };
    if (budget) return update.send({ input: { budgetId: budget.id, basedOn: budget.version, ...amount } });
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
    <Modal opened onClose={onClose} title={budget ? `Edit budget: ${titleOf(budget)}` : 'Create budget'}>
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack>
          {problem && <ProblemNote problem={problem} />}
          {!budget && <ScopeFields form={form} />}
          <NumberInput
            label="Monthly amount"
            description="US dollars per calendar month (UTC)."
            prefix="$"
            thousandSeparator=","
            min={0}
            decimalScale={2}
            required
            {...form.getInputProps('dollars')}
            error={form.errors.dollars ?? faultOf(problem, 'amountCents')}
          />
          <TagsInput
            label="Alert thresholds"
            description="Percentages of the amount. Each threshold alerts once a month. Budgets do not stop usage."
            placeholder="Enter a number"
            splitChars={[',', ' ', '%']}
            {...form.getInputProps('thresholds')}
            error={form.errors.thresholds ?? faultOf(problem, 'thresholds')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={create.isSending || update.isSending}>
              {budget ? 'Save budget' : 'Create budget'}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

const isOfUnit = (scope: Budget['scope']): scope is 'group' | 'cost_centre' =>
  scope === 'group' || scope === 'cost_centre';
const isThreshold = (text: string) => /^\d{1,4}$/.test(text) && Number(text) >= 1 && Number(text) <= 1000;

function ScopeFields({ form }: { form: UseFormReturnType<Values> }) {
  const { scope } = form.values;
  return (
    <>
      <Select
        label="Scope"
        data={Object.entries(scopeNames).map(([value, label]) => ({ value, label }))}
        allowDeselect={false}
        {...form.getInputProps('scope')}
      />
      {isOfUnit(scope) && <UnitSelect key={scope} kind={scope} {...form.getInputProps('unitId')} />}
      {scope === 'person' && (
        <>
          <PersonSelect label="Person" {...form.getInputProps('personId')} />
          <Text size="xs" c="dimmed">
            You see that a threshold was reached, but the person’s figures only if you are an analyst with access to
            them.
          </Text>
        </>
      )}
      <Radio.Group label="Usage counted" {...form.getInputProps('counts')}>
        <Stack gap={6} mt={6}>
          <Radio value="all_usage" label="All usage, including usage within the subscription" />
          <Radio value="usage_based" label="Overage only" />
        </Stack>
      </Radio.Group>
    </>
  );
}
