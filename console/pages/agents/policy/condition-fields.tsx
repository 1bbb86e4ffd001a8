import { Button, Input, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import type { Problem } from '../../../api/problem.ts';
import { ConditionRow } from './condition-row.tsx';
import type { Vocabulary } from './policy-query.ts';
import { defaultCondition, attributesOf } from './attributes.ts';
import type { Condition, Rule } from './use-policy-check.ts';

export interface RuleFieldsProps {
  rule: Rule;
  set(part: Partial<Rule>): void;
  vocabulary: Vocabulary;
  problem: Problem | null;
}

export function ConditionFields({ rule, set, vocabulary, problem }: RuleFieldsProps) {
  const attributes = attributesOf(rule, vocabulary);
  const { conditions } = rule;
  const replaceAt = (at: number, ...instead: Condition[]) =>
    set({ conditions: conditions.toSpliced(at, 1, ...instead) });
  return (
    <Input.Wrapper
      label="Conditions"
      labelElement="div"
      description="The rule applies only if all conditions match. Missing arguments never match."
    >
      <Stack gap="xs" mt="xs" align="stretch">
        {conditions.map((condition, at) => (
          <ConditionRow
            key={at}
            number={at + 1}
            condition={condition}
            attributes={attributes}
            error={faultAt(problem, at)}
            onChange={(next) => replaceAt(at, next)}
            onRemove={() => replaceAt(at)}
          />
        ))}
        <div>
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            onClick={() => set({ conditions: [...conditions, defaultCondition(attributes[0])] })}
          >
            Add condition
          </Button>
        </div>
      </Stack>
    </Input.Wrapper>
  );
}

const faultAt = (problem: Problem | null, at: number): string | undefined =>
  problem?.errors.find(({ pointer }) => pointer.includes(`/conditions/${at}/`))?.detail;
