import { Input, MultiSelect, SegmentedControl, Select, TextInput } from '@mantine/core';
import { listAbove } from '../../../kit/list-above.ts';
import { faultOf } from '../../../kit/use-change.tsx';
import { visible } from '../../../kit/visible.ts';
import type { RuleFieldsProps } from './condition-fields.tsx';
import type { Vocabulary } from './policy-query.ts';
import { decisionNames, describePrincipal, effectChoices } from './rule-labels.ts';
import type { Rule } from './use-policy-check.ts';

const decisions = Object.entries(decisionNames).map(([value, label]) => ({ value, label }));

/** The scope of a rule: name, decision, principal, tools, and integration. */
export const RuleFields = ({ rule, set, vocabulary, problem }: RuleFieldsProps) => (
  <>
    <TextInput
      label="Name"
      description="Shown in the audit log and in denials."
      maxLength={64}
      data-autofocus
      value={rule.name}
      error={faultOf(problem, 'name')}
      onChange={({ currentTarget: { value } }) => set({ name: value })}
    />
    <DecisionField rule={rule} set={set} vocabulary={vocabulary} problem={problem} />
    <Select
      label="Applies to"
      data={principalChoices(rule, vocabulary)}
      allowDeselect={false}
      searchable
      value={JSON.stringify(rule.who)}
      error={faultOf(problem, 'id')}
      onChange={(who) => who && set({ who: JSON.parse(who) as Rule['who'] })}
    />
    <MultiSelect
      label="Tools"
      description="Leave empty for all tools"
      data={toolChoices(rule, vocabulary)}
      searchable
      clearable
      clearButtonProps={{ 'aria-label': 'Tools: all' }}
      nothingFoundMessage="No matching tools"
      comboboxProps={listAbove}
      value={rule.actions}
      error={faultOf(problem, 'actions')}
      onChange={(actions) => set({ actions })}
    />
    <Select
      label="Integration"
      placeholder="Any integration"
      data={[...new Set([...vocabulary.connections, ...(rule.connection === null ? [] : [rule.connection])])]}
      clearable
      clearButtonProps={{ 'aria-label': 'Integration: any' }}
      value={rule.connection}
      error={faultOf(problem, 'connection')}
      onChange={(connection) => set({ connection })}
    />
  </>
);

function DecisionField({ rule: { verdict, step }, set, vocabulary: { steps }, problem }: RuleFieldsProps) {
  const choose = (chosen: string) => {
    const next = chosen as Rule['verdict'];
    set({ verdict: next, step: next === 'approval' ? (step ?? steps[0] ?? null) : null });
  };
  return (
    <>
      <Input.Wrapper label="Decision" labelElement="div">
        <SegmentedControl aria-label="Decision" fullWidth mt={4} data={decisions} value={verdict} onChange={choose} />
      </Input.Wrapper>
      {verdict === 'approval' && (
        <Select
          label="Approval step"
          description="Defines who approves. Manage steps under Capabilities, Approval steps."
          data={[...new Set([...steps, ...(step === null ? [] : [step])])]}
          allowDeselect={false}
          value={step}
          error={faultOf(problem, 'step')}
          onChange={(name) => set({ step: name })}
        />
      )}
    </>
  );
}

const principalChoice = (kind: Rule['who']['kind'], id: string | null, label: string) => ({
  value: JSON.stringify({ kind, id }),
  label,
});

/** The form cannot add members. A member that the Cedar text names is kept as a choice. */
function principalChoices(rule: Rule, { groups, agents }: Vocabulary) {
  const choices = [
    principalChoice('everybody', null, 'Everyone'),
    principalChoice('members', null, 'People'),
    principalChoice('agents', null, 'Agents'),
    ...groups.map(({ id, name }) => principalChoice('group', id, `Group: ${visible(name)}`)),
    ...agents.map(({ id, name }) => principalChoice('agent', id, `Agent: ${visible(name)}`)),
  ];
  const { kind, id } = rule.who;
  const isThere = choices.some(({ value }) => value === JSON.stringify({ kind, id }));
  return isThere
    ? choices
    : [...choices, principalChoice(kind, id, visible(describePrincipal(rule.who, { groups, agents })))];
}

function toolChoices({ actions }: Rule, { tools }: Vocabulary) {
  const known = new Set([...tools.map(({ name }) => name), ...effectChoices.map(({ value }) => value)]);
  const removedTools = actions.filter((name) => !known.has(name));
  return [
    { group: 'By effect', items: effectChoices },
    {
      group: 'Tools',
      items: [...tools.map(({ name }) => name), ...removedTools].map((name) => ({ value: name, label: visible(name) })),
    },
  ];
}
