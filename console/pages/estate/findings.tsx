import { Group, SegmentedControl } from '@mantine/core';
import { ChoiceFilter } from '../../kit/filters.tsx';
import { useFilter } from '../../kit/use-filter.ts';
import type { FindingNode } from './finding-query.ts';
import { FindingRows } from './finding-rows.tsx';
import { choicesOf, findingStates, oneOf, ruleChoices, ruleNames, severities } from './labels.ts';

export function Component() {
  const [chosenState, chooseState] = useFilter('state');
  const [severity] = useFilter('severity');
  const [rule] = useFilter('rule');
  const state = oneOf(findingStates, chosenState) ?? 'open';
  const chosenSeverity = oneOf(severities, severity);
  const chosenRule = oneOf(Object.keys(ruleNames) as FindingNode['rule'][], rule);
  return (
    <>
      <Group mb="md" gap="xs">
        <SegmentedControl
          aria-label="State"
          data={choicesOf(findingStates)}
          value={state}
          onChange={(value) => chooseState(value === 'open' ? null : value)}
        />
        <ChoiceFilter name="severity" label="Severity" data={choicesOf(severities)} />
        <ChoiceFilter name="rule" label="Rule" data={ruleChoices} />
      </Group>
      <FindingRows
        filter={{
          state,
          severities: chosenSeverity && [chosenSeverity],
          rules: chosenRule && [chosenRule],
        }}
      />
    </>
  );
}
