import { Group, List, Text, UnstyledButton } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck, IconCircleX } from '@tabler/icons-react';
import type { Finding } from '../../../kit/cedar-editor.tsx';
import { Untrusted } from '../../../kit/untrusted.tsx';
import type { PolicyCheck } from './use-policy-check.ts';

interface Props {
  check: PolicyCheck;
  /** Whether the check is of the current text. */
  isCurrent: boolean;
  onShow(finding: Finding): void;
}

/** Errors and warnings. A click selects their position in the text. */
export function Findings({ check: { errors, warnings, of }, isCurrent, onShow }: Props) {
  if (of === null) return null;
  const findings = [
    ...errors.map((finding) => ({ finding, Picture: IconCircleX, color: 'red', what: 'Error' })),
    ...warnings.map((finding) => ({ finding, Picture: IconAlertTriangle, color: 'yellow', what: 'Warning' })),
  ];
  return (
    <div aria-live="polite" aria-busy={!isCurrent}>
      {findings.length ? (
        <List listStyleType="none" spacing={4} mt="sm" aria-label="Issues">
          {findings.map(({ finding, Picture, color, what }, at) => (
            <List.Item
              key={at}
              icon={<Picture size={16} aria-label={what} color={`var(--mantine-color-${color}-text)`} />}
            >
              <UnstyledButton onClick={() => onShow(finding)} fz="sm">
                <Text span inherit c="dimmed" className="figures">
                  {finding.line}:{finding.column}{' '}
                </Text>
                <Untrusted text={finding.help ? `${finding.message} ${finding.help}` : finding.message} />
              </UnstyledButton>
            </List.Item>
          ))}
        </List>
      ) : (
        <Group gap={6} mt="sm" c="dimmed">
          <IconCircleCheck size={16} aria-hidden />
          <Text size="sm">No issues found</Text>
        </Group>
      )}
    </div>
  );
}
