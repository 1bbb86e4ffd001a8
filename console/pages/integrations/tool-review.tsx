import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Section } from '../../kit/section.tsx';
import { useChange } from '../../kit/use-change.tsx';
import type { Effect } from '../../features/integrations/tool-status.tsx';
import { needsReview, useTools } from './tools-query.ts';

const confirm = graphql(`
  mutation ConfirmTool($input: ConfirmToolInput!) {
    confirmTool(input: $input) {
      id
      name
    }
  }
`);

const effects: readonly { effect: Effect; label: string; help: string }[] = [
  {
    effect: 'read',
    label: 'Read-only',
    help: 'The default policy allows calls.',
  },
  {
    effect: 'write',
    label: 'Write: changes or sends something',
    help: 'The default policy requires approval for each call.',
  },
  {
    effect: 'destructive',
    label: 'Destructive: can permanently delete or overwrite something',
    help: 'The default policy forbids calls.',
  },
];

interface ReviewedTool {
  id: string;
  effect: Effect;
  suggestedEffect: Effect | null;
  definitionHash: string;
  confirmedAt: string | null;
  isPendingReview: boolean;
  isClaimedDestructive: boolean;
}

/** Confirms the definition and its effect; then, if wanted, opens the next tool that needs a review. */
export function ToolReview({ of: tool, connectionId }: { of: ReviewedTool; connectionId: string }) {
  const initial = tool.confirmedAt ? tool.effect : (tool.suggestedEffect ?? tool.effect);
  const [effect, setEffect] = useState<Effect>(initial);
  const [confirmedAt, setConfirmedAt] = useState(0);
  const { send, problem, isSending } = useChange(confirm, { done: 'Confirmed. Policies now use this.' });
  const nextId = useNextToReview(connectionId, tool.id);
  const navigate = useNavigate();
  const status = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // the button that had the focus is disabled
    if (confirmedAt) status.current?.focus();
  }, [confirmedAt]);
  const hasChanges = tool.isPendingReview || !tool.confirmedAt || effect !== tool.effect;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const opensNext = (event.nativeEvent as SubmitEvent).submitter?.getAttribute('name') === 'next';
    if (!(await send({ input: { id: tool.id, effect, definitionHash: tool.definitionHash } }))) return;
    if (opensNext && nextId) void navigate(`/integrations/${connectionId}/tools/${nextId}`);
    else setConfirmedAt(Date.now());
  };
  return (
    <Section title="Review" lead="Read the definition, then choose the effect of the tool.">
      <form onSubmit={(event) => void submit(event)} aria-label="Review">
        {problem && <ProblemNote problem={problem} />}
        <Stack>
          <EffectChoice tool={tool} effect={effect} onChange={setEffect} />
          <Group>
            <Button type="submit" loading={isSending} disabled={!hasChanges}>
              {tool.isPendingReview ? 'Confirm new definition' : 'Confirm effect'}
            </Button>
            {nextId && hasChanges && (
              <Button type="submit" name="next" variant="light" disabled={isSending}>
                Confirm and review next
              </Button>
            )}
            <Text size="sm" c="dimmed" ref={status} tabIndex={-1} role="status">
              {confirmedAt > 0 && !hasChanges && 'The effect is confirmed.'}
            </Text>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

/** The id of the next tool in the list that needs a review; undefined if there is none. */
function useNextToReview(connectionId: string, toolId: string): string | undefined {
  const [{ data }] = useTools(connectionId);
  const tools = data?.connection.tools ?? [];
  const at = tools.findIndex(({ id }) => id === toolId);
  return [...tools.slice(at + 1), ...tools.slice(0, Math.max(at, 0))].find(needsReview)?.id;
}

interface ChoiceProps {
  tool: ReviewedTool;
  effect: Effect;
  onChange(effect: Effect): void;
}

const EffectChoice = ({ tool, effect: chosen, onChange }: ChoiceProps) => (
  <Radio.Group value={chosen} onChange={(value) => onChange(value as Effect)} aria-label="Effect">
    <Stack gap="sm">
      {effects.map(({ effect, label, help }) => {
        const isUnavailable = tool.isClaimedDestructive && effect !== 'destructive';
        const isSuggested = !tool.confirmedAt && effect === tool.suggestedEffect;
        const description = isSuggested ? `Suggested by the annotations of the server. ${help}` : help;
        return (
          <Radio
            key={effect}
            value={effect}
            label={label}
            disabled={isUnavailable}
            description={isUnavailable ? 'The server declares this tool destructive.' : description}
          />
        );
      })}
    </Stack>
  </Radio.Group>
);
