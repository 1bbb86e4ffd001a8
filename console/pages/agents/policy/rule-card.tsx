import { ActionIcon, Badge, Button, Group, Menu, Stack, Text } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { Untrusted } from '../../../kit/untrusted.tsx';
import { visible } from '../../../kit/visible.ts';
import type { Vocabulary } from './policy-query.ts';
import { describeCondition, decisionNames, describeTools, describePrincipal } from './rule-labels.ts';
import type { Rule, Statement } from './use-policy-check.ts';

interface Props {
  statement: Statement;
  vocabulary: Vocabulary;
  onEdit?: () => void;
  onRemove?: () => void;
  onShow(): void;
}

export function RuleCard({ statement: { id, rule }, vocabulary, onEdit, onRemove, onShow }: Props) {
  return (
    <li>
      <Group justify="space-between" align="flex-start" gap="xs">
        <Stack gap={2} flex="1 1 11rem" miw={0}>
          <Text size="sm" fw={600}>
            <Untrusted text={id} />
          </Text>
          {rule ? <RuleDescription rule={rule} vocabulary={vocabulary} /> : <ComplexRuleNotice onShow={onShow} />}
        </Stack>
        <Group gap={4} wrap="nowrap">
          {rule && <DecisionBadge rule={rule} />}
          <RuleMenu id={id} onEdit={rule ? onEdit : undefined} onRemove={onRemove} onShow={onShow} />
        </Group>
      </Group>
    </li>
  );
}

const RuleDescription = ({ rule, vocabulary }: { rule: Rule; vocabulary: Vocabulary }) => (
  <>
    <Text size="sm">
      <Untrusted text={`${describePrincipal(rule.who, vocabulary)}: ${describeTools(rule)}`} />
    </Text>
    {rule.conditions.length > 0 && (
      <Text size="sm" c="dimmed">
        When <Untrusted text={rule.conditions.map(describeCondition).join(' and ')} />
      </Text>
    )}
  </>
);

const ComplexRuleNotice = ({ onShow }: { onShow(): void }) => (
  <>
    <Text size="sm" c="dimmed">
      This rule is too complex for the form. Edit it in the Cedar text.
    </Text>
    <div>
      <Button variant="subtle" size="compact-sm" onClick={onShow}>
        Show in Cedar
      </Button>
    </div>
  </>
);

const tones = { allow: 'sign', approval: 'yellow', forbid: 'red' };

const DecisionBadge = ({ rule: { verdict, step } }: { rule: Rule }) => (
  <Badge color={tones[verdict]} miw="max-content">
    {decisionNames[verdict]}
    {step !== null && `: ${visible(step)}`}
  </Badge>
);

function RuleMenu({ id, onEdit, onRemove, onShow }: Pick<Props, 'onEdit' | 'onRemove' | 'onShow'> & { id: string }) {
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Actions for rule ${visible(id)}`}>
          <IconDots size={16} />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {onEdit && <Menu.Item onClick={onEdit}>Edit rule</Menu.Item>}
        <Menu.Item onClick={onShow}>Show in Cedar</Menu.Item>
        {onRemove && (
          <Menu.Item color="red" onClick={onRemove}>
            Remove rule
          </Menu.Item>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}
