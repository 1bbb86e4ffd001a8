import { Badge, Button, Code, Group, List, Stack, Text } from '@mantine/core';
import { Untrusted } from '../../../kit/untrusted.tsx';
import type { Explanation } from './explain-call-query.ts';
import type { Statement } from './use-policy-check.ts';
import { verdictName } from './verdict-name.ts';
import '../lines.css';

interface Props {
  explanation: Explanation;
  /** The form has changed since. */
  isOutdated: boolean;
  /** Of the text in the editor. */
  statements: readonly Statement[];
  text: string;
  onShow(start: number, end: number): void;
}

const tones = { allow: 'sign', approval: 'yellow', deny: 'red' } as const;

export function TryCallResult({ explanation, isOutdated, statements, text, onShow }: Props) {
  const { verdict, reason, faults, isHidden, revision, policies, approvalSteps } = explanation;
  return (
    <Stack gap="sm" role="status" aria-label="Verdict">
      {isOutdated && <Text size="sm">The call or the text has changed. Try the call again.</Text>}
      <Group gap="xs">
        <Badge color={tones[verdict]} miw="max-content">
          <Untrusted text={verdictName(explanation)} />
        </Badge>
        {revision !== null && (
          <Text size="sm" c="dimmed">
            Revision {revision}
          </Text>
        )}
      </Group>
      <Text size="sm">
        <Untrusted text={reason} />
        {isHidden && ' The caller cannot see this tool.'}
      </Text>
      {faults.length > 0 && (
        <List size="sm" aria-label="Argument errors">
          {faults.map(({ pointer, detail }) => (
            <List.Item key={pointer + detail}>
              {pointer && (
                <Text span inherit ff="monospace">
                  <Untrusted text={pointer} />{' '}
                </Text>
              )}
              <Untrusted text={detail} />
            </List.Item>
          ))}
        </List>
      )}
      {policies.length > 0 && (
        <ul className="lines" aria-label="Deciding rules">
          {policies.map((policy) => (
            <DecidingRule
              key={policy.id}
              policy={policy}
              statement={statements.find(({ start, end }) => text.slice(start, end) === policy.text)}
              onShow={onShow}
            />
          ))}
        </ul>
      )}
      {approvalSteps.map((step) => (
        <StepCandidates key={step.name} step={step} />
      ))}
    </Stack>
  );
}

interface DecidingRuleProps {
  policy: Explanation['policies'][number];
  /** The same policy in the editor. */
  statement: Statement | undefined;
  onShow(start: number, end: number): void;
}

const DecidingRule = ({ policy: { id, text }, statement, onShow }: DecidingRuleProps) => (
  <li>
    <Group justify="space-between" gap="xs" mb={4}>
      <Text size="sm" fw={600}>
        <Untrusted text={id} />
      </Text>
      {statement && (
        <Button variant="subtle" size="compact-sm" onClick={() => onShow(statement.start, statement.end)}>
          Show in Cedar
        </Button>
      )}
    </Group>
    <Code block style={{ whiteSpace: 'pre-wrap' }}>
      <Untrusted text={text} />
    </Code>
  </li>
);

/** Who could approve, and why others could not. */
const StepCandidates = ({
  step: { name, isReachable, step, candidates },
}: {
  step: Explanation['approvalSteps'][number];
}) => (
  <div>
    <Text size="sm" fw={600}>
      Approval step <Untrusted text={name} />
      {step && step.quorum > 1 && `: ${step.quorum} approvals`}
    </Text>
    {!isReachable && <Text size="sm">Too few members could decide, so the call would be denied at once.</Text>}
    <List size="sm" listStyleType="none" aria-label="Who could decide">
      {candidates.map(({ id, name: member, mayDecide, reason }) => (
        <List.Item key={id}>
          <Untrusted text={member ?? 'A former member'} />
          {mayDecide ? (
            ' could decide.'
          ) : (
            <Text span inherit c="dimmed">
              {' '}
              could not decide. <Untrusted text={reason ?? ''} />
            </Text>
          )}
        </List.Item>
      ))}
    </List>
  </div>
);
