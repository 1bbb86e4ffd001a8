import { Checkbox, NumberInput } from '@mantine/core';
import type { Problem } from '../../api/problem.ts';
import { faultOf } from '../../kit/use-change.tsx';
import type { ApprovalStep } from './approval-steps-query.ts';

type Permissions = Pick<ApprovalStep, 'allowsEdit' | 'taskGrantMaxUses'>;

interface Props {
  values: Permissions & Pick<ApprovalStep, 'tier' | 'requiresPasskey'>;
  problem: Problem | null;
  onChange(part: Partial<Permissions>): void;
}

/** What approvers of the step can do besides approving and denying. */
export const PermissionFields = ({
  values: { tier, requiresPasskey, allowsEdit, taskGrantMaxUses },
  problem,
  onChange,
}: Props) => (
  <>
    {tier === 'review' && (
      <Checkbox
        label="Approvers can edit arguments"
        description="The editor of a call can't approve it: other approvers decide on the edited call."
        checked={allowsEdit}
        onChange={({ currentTarget: { checked } }) => onChange({ allowsEdit: checked })}
      />
    )}
    {!requiresPasskey && (
      <NumberInput
        label="Further calls in the same task"
        description="Approvers can allow up to this many further calls of the tool. Leave empty for none. Never for destructive tools."
        min={1}
        max={100}
        allowDecimal={false}
        value={taskGrantMaxUses ?? ''}
        error={faultOf(problem, 'taskGrantMaxUses')}
        onChange={(value) => onChange({ taskGrantMaxUses: Number(value) || null })}
      />
    )}
  </>
);
