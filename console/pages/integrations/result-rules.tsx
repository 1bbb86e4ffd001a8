import { Button, Group, NumberInput, Select, SimpleGrid, Stack, Switch } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Section } from '../../kit/section.tsx';
import { useChange } from '../../kit/use-change.tsx';
import type { Integration } from './integration-query.ts';

const setConnectionRules = graphql(`
  mutation SetConnectionResultRules($input: SetResultRulesInput!) {
    setConnectionResultRules(input: $input) {
      id
      resultRules {
        secrets
        personalData
        protectedFields
        size
        maxKilobytes
      }
    }
  }
`);

const setToolRules = graphql(`
  mutation SetToolResultRules($input: SetToolResultRulesInput!) {
    setToolResultRules(input: $input) {
      id
      resultRules {
        secrets
        personalData
        protectedFields
        size
        maxKilobytes
      }
    }
  }
`);

type Rules = NonNullable<ResultOf<typeof setToolRules>['setToolResultRules']['resultRules']>;
type Action = Rules['secrets'];

const unchanged: Rules = {
  secrets: 'ignore',
  personalData: 'ignore',
  protectedFields: 'ignore',
  size: 'ignore',
  maxKilobytes: 256,
};

const lead =
  'What happens to a result before the caller or a language model receives it. Applies to the next call. The caller sees the kinds of data that were found, not the data.';

/** The rules for all tools of an integration that have none of their own. */
export function ConnectionResultRules({ of: { id, resultRules } }: { of: Integration }) {
  const { send, problem, isSending } = useChange(setConnectionRules, { done: 'Result rules saved.' });
  return (
    <Section title="Result rules" lead={lead}>
      {problem && <ProblemNote problem={problem} />}
      <RulesForm
        before={resultRules ?? unchanged}
        isSending={isSending}
        onSubmit={(rules) => void send({ input: { id, rules } })}
      />
    </Section>
  );
}

interface ToolProps {
  toolId: string;
  rules: Rules | null;
  ofConnection: Rules | null;
}

/** A tool can have rules of its own, instead of those of its integration. */
export function ToolResultRules({ toolId: id, rules, ofConnection }: ToolProps) {
  const [isOwn, setOwn] = useState(rules !== null);
  const { send, problem, isSending } = useChange(setToolRules, { done: 'Result rules saved.' });
  const switchOwn = async (on: boolean) => {
    if (on || !rules || (await send({ input: { id, rules: null } }))) setOwn(on);
  };
  return (
    <Section title="Result rules" lead={lead}>
      {problem && <ProblemNote problem={problem} />}
      <Stack>
        <Switch
          label="Use different rules than the integration"
          checked={isOwn}
          disabled={isSending}
          onChange={({ currentTarget }) => void switchOwn(currentTarget.checked)}
        />
        {isOwn && (
          <RulesForm
            before={rules ?? ofConnection ?? unchanged}
            isNew={rules === null}
            isSending={isSending}
            onSubmit={(changed) => void send({ input: { id, rules: changed } })}
          />
        )}
      </Stack>
    </Section>
  );
}

const actions: { value: Action; label: string }[] = [
  { value: 'ignore', label: 'Do nothing' },
  { value: 'mark', label: 'Mark the result' },
  { value: 'redact', label: 'Redact' },
  { value: 'block', label: 'Withhold the result' },
];

const subjects = [
  { name: 'secrets', label: 'Secrets', help: 'Keys, tokens and passwords.' },
  {
    name: 'personalData',
    label: 'Personal data',
    help: 'E-mail addresses, international phone numbers, IBANs and card numbers.',
  },
  {
    name: 'protectedFields',
    label: 'Protected fields',
    help: 'Fields that the output schema marks as writeOnly or as a password.',
  },
  { name: 'size', label: 'Large results', help: 'Results above the limit. “Redact” cuts them.' },
] as const;

interface FormProps {
  before: Rules;
  /** Can be saved without a change. */
  isNew?: boolean;
  isSending: boolean;
  onSubmit(rules: Rules): void;
}

function RulesForm({ before, isNew = false, isSending, onSubmit }: FormProps) {
  const { secrets, personalData, protectedFields, size, maxKilobytes } = before;
  const [rules, setRules] = useState<Rules>({ secrets, personalData, protectedFields, size, maxKilobytes });
  const isDirty =
    isNew || subjects.some(({ name }) => rules[name] !== before[name]) || rules.maxKilobytes !== maxKilobytes;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit(rules);
  };
  return (
    <form onSubmit={submit} aria-label="Result rules">
      <Stack maw="44rem">
        <SimpleGrid cols={{ base: 1, sm: 2 }}>
          {subjects.map(({ name, label, help }) => (
            <Select
              key={name}
              label={label}
              description={help}
              data={name === 'size' ? actions.map(asSizeAction) : actions}
              allowDeselect={false}
              value={rules[name]}
              onChange={(value) => setRules({ ...rules, [name]: value as Action })}
            />
          ))}
          {rules.size !== 'ignore' && (
            <NumberInput
              label="Limit in KiB"
              description="From 1 to 16384."
              required
              allowDecimal={false}
              min={1}
              max={16384}
              value={rules.maxKilobytes}
              onChange={(value) => setRules({ ...rules, maxKilobytes: Number(value) })}
            />
          )}
        </SimpleGrid>
        <Group justify="flex-end">
          <Button type="submit" loading={isSending} disabled={!isDirty}>
            Save result rules
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const asSizeAction = ({ value, label }: (typeof actions)[number]) => ({
  value,
  label: value === 'redact' ? 'Cut' : label,
});
