import { Button, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useState } from 'react';
import { Section } from '../../../kit/section.tsx';
import type { Vocabulary } from './policy-query.ts';
import { RuleCard } from './rule-card.tsx';
import { RuleDialog } from './rule-dialog.tsx';
import '../lines.css';
import { appendPolicy, removePolicy, replacePolicy } from './text-edits.ts';
import type { PolicyCheck, Rule, Statement } from './use-policy-check.ts';

interface Props {
  text: string;
  check: PolicyCheck;
  vocabulary: Vocabulary;
  /** Absent: read-only. */
  onChange?(text: string): void;
  onShow(start: number, end: number): void;
}

type EditedRule = { rule: Rule | null; applyTo(written: string): string };

/** The policy as a list of rules. The form edits the Cedar text. */
export function Rules({ text, check, vocabulary, onChange, onShow }: Props) {
  const [edited, edit] = useState<EditedRule | null>(null);
  // positions from an older text don't match the current one
  const isCurrent = check.of === text;
  const { statements, errors } = check;
  const actionsOf = (statement: Statement) =>
    onChange &&
    isCurrent && {
      onEdit: () => edit({ rule: statement.rule, applyTo: (written) => replacePolicy(text, statement, written) }),
      onRemove: () => onChange(removePolicy(text, statement)),
    };
  const hasSyntaxError = isCurrent && !statements.length && errors.length > 0;
  return (
    <Section
      title="Rules"
      lead="Calls that no rule allows are denied. Forbid rules override all other rules."
      actions={
        onChange && (
          <Button
            variant="default"
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden />}
            disabled={!isCurrent || hasSyntaxError}
            onClick={() => edit({ rule: null, applyTo: (written) => appendPolicy(text, written) })}
          >
            Add rule
          </Button>
        )
      }
    >
      <ul className="lines" aria-label="Rules" aria-busy={!isCurrent}>
        {statements.map((statement) => (
          <RuleCard
            key={statement.id}
            statement={statement}
            vocabulary={vocabulary}
            {...actionsOf(statement)}
            onShow={() => onShow(statement.start, statement.end)}
          />
        ))}
      </ul>
      {isCurrent && !statements.length && (
        <Text size="sm" c="dimmed">
          {hasSyntaxError
            ? 'The Cedar text has a syntax error. Fix the first issue listed below it.'
            : 'No rules yet. All calls are denied.'}
        </Text>
      )}
      <RuleDialog
        edited={edited}
        vocabulary={vocabulary}
        onClose={() => edit(null)}
        onApply={(written) => {
          onChange?.(edited!.applyTo(written));
          edit(null);
        }}
      />
    </Section>
  );
}
