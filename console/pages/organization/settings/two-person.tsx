import { Alert, Stack, Switch } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../../api/graphql.ts';
import { useChangeEvents } from '../../../api/change-events.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { useChange } from '../../../kit/use-change.tsx';

const query = graphql(`
  query TwoPersonAdministration {
    twoPersonAdministration {
      administratorCount
      hasSecondAdministrator
      areas {
        area
        isEnabled
      }
    }
  }
`);
type Area = ResultOf<typeof query>['twoPersonAdministration']['areas'][number]['area'];

const setArea = graphql(`
  mutation SetTwoPersonAdministration($input: SetTwoPersonAdministrationInput!) {
    setTwoPersonAdministration(input: $input) {
      administratorCount
      areas {
        area
        isEnabled
      }
    }
  }
`);

const areaLabels: Record<Area, string> = {
  policies: 'Publish policies',
  tool_effects: 'Confirm tool effects',
  approval_steps: 'Change approval steps',
  approver_groups: 'Change who approves: members of approver groups, groups of steps, substitutes',
  roles: 'Change roles and reactivate members with roles',
  sign_in_providers: 'Change sign-in providers',
  connection_targets: 'Add integrations and change their targets',
  break_glass: 'Grant break-glass rights',
};

/** Which changes a second administrator has to confirm. */
export function TwoPersonAdministration() {
  const [{ data }, reload] = useQuery({ query });
  const refetch = () => reload({ requestPolicy: 'network-only' });
  useChangeEvents('organization', refetch);
  const { send, problem, isSending } = useChange(setArea, { onDone: refetch });
  if (!data) return null;
  const { areas, administratorCount, hasSecondAdministrator } = data.twoPersonAdministration;
  return (
    <Section
      title="Two-person administration"
      lead="Changes of the selected kinds take effect when a second, independent administrator confirms them. Turning a switch off also requires a second administrator."
    >
      <Stack gap="sm">
        {problem && <ProblemNote problem={problem} />}
        {!hasSecondAdministrator && (
          <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title={loneTitle(administratorCount)}>
            Nobody else could confirm your changes. While a switch is on, changes of this kind can&apos;t be made. Ask
            the operator of the server to invite another administrator or to vouch for one.
          </Alert>
        )}
        {areas.map(({ area, isEnabled }) => (
          <Switch
            key={area}
            label={areaLabels[area]}
            checked={isEnabled}
            disabled={isSending}
            onChange={({ currentTarget }) => send({ input: { area, isEnabled: currentTarget.checked } })}
          />
        ))}
      </Stack>
    </Section>
  );
}

const loneTitle = (administratorCount: number): string =>
  administratorCount === 1 ? 'This organization has one administrator' : 'No other administrator is independent of you';
