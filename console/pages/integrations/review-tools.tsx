import { Button, Checkbox, Group, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Section } from '../../kit/section.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import type { Effect } from '../../features/integrations/tool-status.tsx';
import { ReviewRow } from './review-row.tsx';
import type { Tool } from './tools-query.ts';

const confirmTools = graphql(`
  mutation ConfirmTools($input: ConfirmToolsInput!) {
    confirmTools(input: $input) {
      id
      effect
      confirmedAt
    }
  }
`);

interface Props {
  connectionId: string;
  tools: readonly Tool[];
  onConfirmed(count: number): void;
}

const toolCount = (count: number) => (count === 1 ? '1 tool' : `${count} tools`);

/** The unreviewed tools, with the effects that the server suggests. Only the button confirms them. */
export function ReviewTools({ connectionId, tools, onConfirmed }: Props) {
  const [chosen, choose] = useState<Record<string, Effect>>({});
  const [marked, mark] = useState<readonly string[]>([]);
  const selected = tools.filter(({ id }) => marked.includes(id));
  const [confirmedCount, setConfirmedCount] = useState(0);
  const status = useRef<HTMLParagraphElement>(null);
  useEffect(() => {
    // the confirmed rows are gone, and the button with the focus is disabled
    if (confirmedCount) status.current?.focus();
  }, [confirmedCount]);
  const { send, problem, isSending } = useChange(confirmTools, {
    done: ({ confirmTools }) => `Confirmed ${toolCount(confirmTools.length)}. Policies now use this.`,
    onDone: ({ confirmTools: { length } }) => {
      mark([]);
      setConfirmedCount(confirmedCount + length);
      onConfirmed(length);
    },
    onProposed: () => mark([]),
  });
  const effectOf = (tool: Tool): Effect => chosen[tool.id] ?? tool.suggestedEffect ?? tool.effect;
  const confirm = () => {
    const reviewed = selected.map((tool) => ({
      id: tool.id,
      effect: effectOf(tool),
      definitionHash: tool.definitionHash,
    }));
    void send({ input: { tools: reviewed } });
  };
  const areAllSelected = selected.length === tools.length;
  return (
    <Section
      title="Review tools"
      lead="Effects are suggested from the annotations of the server, which can be wrong. Check each tool, then confirm. Unreviewed tools count as Write."
    >
      {problem && <ProblemNote problem={problem} />}
      <Group justify="space-between" mb="sm">
        <Checkbox
          label="Select all"
          checked={areAllSelected}
          indeterminate={selected.length > 0 && !areAllSelected}
          onChange={() => mark(areAllSelected ? [] : tools.map(({ id }) => id))}
        />
        <Group gap="sm">
          <Text size="sm" c="dimmed" ref={status} tabIndex={-1} role="status">
            {selected.length} of {tools.length} selected
          </Text>
          <Button disabled={!selected.length} loading={isSending} onClick={confirm}>
            Confirm {toolCount(selected.length)}
          </Button>
        </Group>
      </Group>
      <table className="rows" role="table" aria-label="Unreviewed tools">
        <thead role="rowgroup">
          <tr role="row">
            {['Tool', 'Server annotations', 'Effect'].map((label) => (
              <th key={label} role="columnheader" scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {tools.map((tool, at) => (
            <ReviewRow
              key={tool.id}
              index={at}
              tool={tool}
              to={`/integrations/${connectionId}/tools/${tool.id}`}
              effect={effectOf(tool)}
              onEffect={(effect) => choose({ ...chosen, [tool.id]: effect })}
              isSelected={marked.includes(tool.id)}
              onSelect={() =>
                mark(marked.includes(tool.id) ? marked.filter((id) => id !== tool.id) : [...marked, tool.id])
              }
              name={visible(tool.title || tool.name)}
            />
          ))}
        </tbody>
      </table>
    </Section>
  );
}
