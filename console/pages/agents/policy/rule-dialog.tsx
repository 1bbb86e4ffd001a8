import { Button, Group, Modal, Stack } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useClient } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { type Problem, problemOf } from '../../../api/problem.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import type { Vocabulary } from './policy-query.ts';
import { ConditionFields } from './condition-fields.tsx';
import { RuleFields } from './rule-fields.tsx';
import type { Rule } from './use-policy-check.ts';

const query = graphql(`
  query PolicyRuleText($rule: PolicyRuleInput!) {
    policyRuleText(rule: $rule)
  }
`);

interface Props {
  /** The edited rule, `{ rule: null }` for a new one; null: the dialog is closed. */
  edited: { rule: Rule | null } | null;
  vocabulary: Vocabulary;
  onClose(): void;
  /** Called with the rule as Cedar text. */
  onApply(text: string): void;
}

export const RuleDialog = ({ edited, ...rest }: Props) => (
  <Modal opened={edited !== null} onClose={rest.onClose} title={edited?.rule ? 'Edit rule' : 'Add rule'} size="lg">
    {edited && (
      <RuleForm initial={edited.rule ?? newRule} verb={edited.rule ? 'Apply changes' : 'Add rule'} {...rest} />
    )}
  </Modal>
);

const newRule: Rule = {
  name: '',
  verdict: 'allow',
  step: null,
  who: { kind: 'everybody', id: null },
  actions: [],
  connection: null,
  conditions: [],
};

/** Writes the rule into the Cedar text. It does not save the draft. */
function RuleForm({
  initial,
  verb,
  vocabulary,
  onClose,
  onApply,
}: Omit<Props, 'edited'> & { initial: Rule; verb: string }) {
  const client = useClient();
  const [rule, setRule] = useState(initial);
  const [problem, setProblem] = useState<Problem | null>(null);
  const set = (part: Partial<Rule>) => setRule({ ...rule, ...part });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { data, error } = await client.query(query, { rule }).toPromise();
    if (data) onApply(data.policyRuleText);
    else setProblem(problemOf(error!));
  };
  return (
    <form onSubmit={submit}>
      <Stack>
        {problem && !problem.errors.length && <ProblemNote problem={problem} />}
        <RuleFields rule={rule} set={set} vocabulary={vocabulary} problem={problem} />
        <ConditionFields rule={rule} set={set} vocabulary={vocabulary} problem={problem} />
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit">{verb}</Button>
        </Group>
      </Stack>
    </form>
  );
}
