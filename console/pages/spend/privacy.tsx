import { Anchor, Button, Group, Modal, MultiSelect, Radio, Stack, Switch, Text } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { singlePage } from '../../kit/single-page.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Empty } from '../../kit/empty.tsx';
import { listAbove } from '../../kit/list-above.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Rows } from '../../kit/rows.tsx';
import { PlainSection } from '../../kit/plain-section.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import { useUnits } from './use-units.ts';

const privacyQuery = graphql(`
  query SpendPrivacy {
    spendPseudonymsShown
    spendViews {
      memberId
      name
      seesEverybody
      version
      groups {
        id
        name
      }
    }
  }
`);
const showPseudonyms = graphql(`
  mutation ShowSpendPseudonyms($input: SetSpendPseudonymsShownInput!) {
    setSpendPseudonymsShown(input: $input)
  }
`);
const renewPseudonyms = graphql(`
  mutation RenewSpendPseudonyms {
    regenerateSpendPseudonyms
  }
`);
const setView = graphql(`
  mutation SetSpendView($input: SetSpendViewInput!) {
    setSpendView(input: $input) {
      memberId
    }
  }
`);
type View = ResultOf<typeof privacyQuery>['spendViews'][number];

/** Access to individual usage, and pseudonyms. */
export function Component() {
  const [result, ask] = useQuery({ query: privacyQuery });
  const refetch = () => ask({ requestPolicy: 'network-only' });
  useChangeEvents(['spend', 'organization'], refetch);
  return (
    <Loaded result={result} refetch={ask}>
      {({ spendPseudonymsShown, spendViews }) => (
        <>
          <AnalystAccess views={spendViews} refetch={refetch} />
          <Pseudonyms areShown={spendPseudonymsShown} refetch={refetch} />
        </>
      )}
    </Loaded>
  );
}

function AnalystAccess({ views, refetch }: { views: readonly View[]; refetch(): void }) {
  const [edited, setEdited] = useState<View | null>(null);
  return (
    <PlainSection
      title="Access to individual usage"
      lead="Analysts see individual usage of the groups that you assign. Administrators see totals only. The audit log records access and changes."
    >
      <Rows
        label="Analysts"
        pages={singlePage(views)}
        keyOf={({ memberId }) => memberId}
        columns={[
          { label: 'Analyst', cell: ({ name }) => <Untrusted text={name} /> },
          { label: 'Access', cell: (view) => <Access view={view} /> },
          {
            label: 'Actions',
            width: '1%',
            cell: (view) => (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Edit access of ${visible(view.name)}`}
                onClick={() => setEdited(view)}
              >
                Edit access
              </Button>
            ),
          },
        ]}
        empty={
          <Empty icon={IconEye} title="No analysts yet">
            Assign the role “Analyst” to a member under{' '}
            <Anchor component={Link} to="/organization/members" inherit underline="always">
              Members
            </Anchor>
            . Then assign groups here.
          </Empty>
        }
      />
      {edited && <EditAccess view={edited} onClose={() => setEdited(null)} refetch={refetch} />}
    </PlainSection>
  );
}

const Access = ({ view: { seesEverybody, groups } }: { view: View }) => {
  if (seesEverybody) return 'Everyone';
  if (!groups.length)
    return (
      <Text span inherit c="dimmed">
        Totals only
      </Text>
    );
  return groups.map(({ id, name }, at) => (
    <span key={id}>
      {at > 0 && ', '}
      <Untrusted text={name} />
    </span>
  ));
};

type Choice = 'nobody' | 'groups' | 'everybody';

function EditAccess({ view, onClose, refetch }: { view: View; onClose(): void; refetch(): void }) {
  const { units } = useUnits('group');
  const [choice, setChoice] = useState<Choice>(
    view.seesEverybody ? 'everybody' : view.groups.length ? 'groups' : 'nobody',
  );
  const [groupIds, setGroupIds] = useState(view.groups.map(({ id }) => id));
  const { send, problem, isSending } = useChange(setView, {
    done: 'Access saved. The change is recorded in the audit log.',
    onDone: () => {
      onClose();
      refetch();
    },
  });
  const save = () =>
    send({
      input: {
        memberId: view.memberId,
        seesEverybody: choice === 'everybody',
        groupIds: choice === 'groups' ? groupIds : [],
        basedOn: view.version,
      },
    });
  return (
    <Modal opened onClose={onClose} title={`Access of ${visible(view.name)}`}>
      <Stack>
        {problem && <ProblemNote problem={problem} />}
        <Radio.Group label="Individual usage" value={choice} onChange={(value) => setChoice(value as Choice)}>
          <Stack gap={6} mt={6}>
            <Radio value="nobody" label="No one (totals only)" />
            <Radio value="groups" label="People in selected groups" />
            <Radio value="everybody" label="Everyone, including unmatched users" />
          </Stack>
        </Radio.Group>
        {choice === 'groups' && (
          <MultiSelect
            label="Groups"
            searchable
            nothingFoundMessage="No matching groups"
            comboboxProps={listAbove}
            data={(units ?? []).map(({ id, name }) => ({ value: id, label: visible(name) }))}
            value={groupIds}
            onChange={setGroupIds}
          />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button loading={isSending} disabled={choice === 'groups' && !groupIds.length} onClick={() => void save()}>
            Save access
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Pseudonyms({ areShown, refetch }: { areShown: boolean; refetch(): void }) {
  const [isConfirming, setConfirming] = useState(false);
  const show = useChange(showPseudonyms, { isLoud: true, onDone: refetch });
  const renew = useChange(renewPseudonyms, {
    done: ({ regenerateSpendPseudonyms }) => `New pseudonyms assigned to ${regenerateSpendPseudonyms} people.`,
    onDone: () => setConfirming(false),
  });
  return (
    <Section
      title="Pseudonyms"
      lead="Randomly assigned and stable over time. Administrators see real names, never with their pseudonyms."
    >
      <Stack align="flex-start">
        <Switch
          label="Show pseudonyms in reports and exports, also to analysts"
          checked={areShown}
          disabled={show.isSending}
          onChange={({ currentTarget }) => void show.send({ input: { areShown: currentTarget.checked } })}
        />
        <Button variant="subtle" color="red" onClick={() => setConfirming(true)}>
          Assign new pseudonyms
        </Button>
      </Stack>
      <Confirm
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title="Assign new pseudonyms?"
        verb="Assign new pseudonyms"
        name="new pseudonyms"
        problem={renew.problem}
        isSending={renew.isSending}
        onConfirm={() => void renew.send({})}
      >
        <Text size="sm">
          Old pseudonyms no longer refer to anyone, so earlier exports can’t be compared by name. You can’t undo this.
        </Text>
      </Confirm>
    </Section>
  );
}
