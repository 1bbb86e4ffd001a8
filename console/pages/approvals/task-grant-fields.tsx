import { Checkbox, Group, NumberInput, Select, Stack, Text } from '@mantine/core';
import { taskGrantTerms } from '../../features/approvals/task-grant.ts';
import { duration } from '../../kit/duration.ts';
import { visible } from '../../kit/visible.ts';
import type { Approval } from './approval-query.ts';

export interface TaskGrantTerms {
  equalArguments: string[];
  maxUses: number;
  expiresAfterSeconds: number;
}

interface Props {
  approval: Approval;
  /** Null: the approval is for this call only. */
  terms: TaskGrantTerms | null;
  onChange(terms: TaskGrantTerms | null): void;
}

/** Whether this approval can also allow further calls. */
export const canGrant = ({ taskGrant, taskGrantMaxUses }: Approval): boolean =>
  taskGrant?.state === 'proposed' || taskGrantMaxUses !== null;

const expiryChoices = [900, 3_600, 14_400, 86_400];

/** Lets the first approver propose further calls in the task, and later ones agree to the proposal. */
export function TaskGrantFields({ approval, terms, onChange }: Props) {
  const { taskGrant, taskGrantMaxUses } = approval;
  if (taskGrant?.state === 'proposed') {
    const { equalArguments, maxUses, expiresAfterSeconds } = taskGrant;
    return (
      <Checkbox
        label={`Also allow ${furtherCalls(maxUses)} in this task`}
        description={`${taskGrantTerms(taskGrant)} Valid for ${duration(expiresAfterSeconds)}. If you approve this call only, the proposal is declined.`}
        checked={terms !== null}
        onChange={({ currentTarget: { checked } }) =>
          onChange(checked ? { equalArguments, maxUses, expiresAfterSeconds } : null)
        }
      />
    );
  }
  if (taskGrantMaxUses === null) return null;
  const names = Object.keys(JSON.parse(approval.call.arguments ?? '{}') as object);
  const initial = { equalArguments: names, maxUses: Math.min(5, taskGrantMaxUses), expiresAfterSeconds: 3_600 };
  return (
    <Stack gap="xs">
      <Checkbox
        label="Also allow further calls of this tool in this task"
        description="The policies still decide on each call. Ends with the caller's next message."
        checked={terms !== null}
        onChange={({ currentTarget: { checked } }) => onChange(checked ? initial : null)}
      />
      {terms && <Terms names={names} max={taskGrantMaxUses} terms={terms} onChange={onChange} />}
    </Stack>
  );
}

const furtherCalls = (count: number): string => (count === 1 ? '1 further call' : `${count} further calls`);

interface TermsProps {
  names: string[];
  max: number;
  terms: TaskGrantTerms;
  onChange(terms: TaskGrantTerms): void;
}

function Terms({ names, max, terms, onChange }: TermsProps) {
  const { equalArguments, maxUses, expiresAfterSeconds } = terms;
  return (
    <Stack gap="xs" pl="xl" mah="40vh" style={{ overflowY: 'auto' }}>
      {names.length > 0 && (
        <Checkbox.Group
          label="Must have the approved value"
          value={equalArguments}
          error={equalArguments.length === 0 && 'Keep at least one argument.'}
          onChange={(chosen) => onChange({ ...terms, equalArguments: chosen })}
        >
          <Group gap="md" mt={4}>
            {names.map((name) => (
              <Checkbox key={name} value={name} label={visible(name)} />
            ))}
          </Group>
        </Checkbox.Group>
      )}
      <Group gap="md" align="flex-start">
        <NumberInput
          label="Further calls"
          min={1}
          max={max}
          allowDecimal={false}
          clampBehavior="strict"
          w="8rem"
          value={maxUses}
          onChange={(value) => onChange({ ...terms, maxUses: Number(value) || 1 })}
        />
        <Select
          label="Valid for"
          allowDeselect={false}
          w="10rem"
          data={expiryChoices.map((seconds) => ({ value: String(seconds), label: duration(seconds) }))}
          value={String(expiresAfterSeconds)}
          onChange={(seconds) => seconds && onChange({ ...terms, expiresAfterSeconds: Number(seconds) })}
        />
      </Group>
      <Text size="sm">
        {taskGrantTerms({ equalArguments, freeArguments: names.filter((name) => !equalArguments.includes(name)) })}
      </Text>
    </Stack>
  );
}
