import { Anchor, Checkbox, Group, Select, Text } from '@mantine/core';
import { Link } from 'react-router';
import '../../kit/rows.css';
import { Untrusted } from '../../kit/untrusted.tsx';
import { annotationNames, type Effect, effectNames } from '../../features/integrations/tool-status.tsx';
import type { Tool } from './tools-query.ts';

interface Props {
  index: number;
  tool: Tool;
  /** For labels. */
  name: string;
  to: string;
  effect: Effect;
  onEffect(effect: Effect): void;
  isSelected: boolean;
  onSelect(): void;
}

export const ReviewRow = ({ index, tool, name, to, effect, onEffect, isSelected, onSelect }: Props) => (
  <tr role="row" data-index={index}>
    <td role="cell">
      <Group wrap="nowrap" align="flex-start" gap="sm">
        <Checkbox aria-label={`Select ${name}`} checked={isSelected} onChange={onSelect} mt={2} />
        <div>
          <Anchor component={Link} to={to} size="sm" fw={550}>
            <Untrusted text={tool.title || tool.name} />
          </Anchor>
          <Text size="xs" c="dimmed" ff="monospace">
            <Untrusted text={tool.name} />
          </Text>
          {tool.description && (
            <Text size="xs" lineClamp={3}>
              <Untrusted text={tool.description} />
            </Text>
          )}
        </div>
      </Group>
    </td>
    <td role="cell" data-label="Server annotations">
      {annotationNames(tool.annotations).join(', ') || 'none'}
    </td>
    <td role="cell" data-label="Effect">
      <EffectSelect tool={tool} name={name} effect={effect} onEffect={onEffect} />
    </td>
  </tr>
);

const EffectSelect = ({ tool, name, effect, onEffect }: Pick<Props, 'tool' | 'name' | 'effect' | 'onEffect'>) => (
  <div>
    <Select
      aria-label={`Effect of ${name}`}
      w="10rem"
      data={Object.entries(effectNames).map(([value, label]) => ({
        value,
        label,
        disabled: tool.isClaimedDestructive && value !== 'destructive',
      }))}
      allowDeselect={false}
      value={effect}
      onChange={(value) => value && onEffect(value as Effect)}
    />
    <Text size="xs" c="dimmed" mt={2}>
      {effect === tool.suggestedEffect ? 'Suggested' : tool.suggestedEffect ? 'Your choice' : 'No suggestion'}
    </Text>
  </div>
);
