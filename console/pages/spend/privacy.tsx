import { Anchor, Button, Group, Modal, MultiSelect, Radio, Stack, Switch, Text } from '@mantine/core';
import { IconEye } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useNews } from '../../api/live.ts';
import { allAtOnce } from '../../kit/all-at-once.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Empty } from '../../kit/empty.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Rows } from '../../kit/rows.tsx';
import { Part } from '../../kit/part.tsx';
import { Section } from '../../kit/section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import { useUnits } from './use-units.ts';

const privacyQuery = graphql(`
  query SpendPrivacy {
    showsSpendPseudonyms
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
  mutation ShowSpendPseudonyms($input: ShowSpendPseudonymsInput!) {
    showSpendPseudonyms(input: $input)
  }
`);
const renewPseudonyms = graphql(`
  mutation RenewSpendPseudonyms {
    renewSpendPseudonyms
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

/** Who sees what single people use, and under which names. */
export function Component() {
  const [asked, ask] = useQuery({ query: privacyQuery });
  const again = () => ask({ requestPolicy: 'network-only' });
  useNews(['spend', 'organization'], again);
  return (
    <Loaded asked={asked} again={ask}>
      {({ showsSpendPseudonyms, spendViews }) => (
        <>
          <Views views={spendViews} again={again} />
          <Pseudonyms areShown={showsSpendPseudonyms} again={again} />
        </>
      )}
    </Loaded>
  );
}

function Views({ views, again }: { views: readonly View[]; again(): void }) {
  const [edited, setEdited] = useState<View | null>(null);
  return (
    <Part
      title="Who sees single people"
      lead="Analysts, of the groups that you name here; administrators see sums alone. Each look is in the audit log, and so is each change of this."
    >
      <Rows
        label="Analysts"
        pages={allAtOnce(views)}
        keyOf={({ memberId }) => memberId}
        columns={[
          { label: 'Analyst', cell: ({ name }) => <Untrusted text={name} /> },
          { label: 'Sees', cell: (view) => <Sees view={view} /> },
          {
            label: 'Actions',
            width: '1%',
            cell: (view) => (
              <Button
                size="compact-sm"
                variant="default"
                aria-label={`Change what ${visible(view.name)} sees`}
                onClick={() => setEdited(view)}
              >
                Change
              </Button>
            ),
          },
        ]}
        empty={
          <Empty icon={IconEye} title="There are no analysts">
            Give somebody the role “analyst” under{' '}
            <Anchor component={Link} to="/organization/members" inherit underline="always">
              Members
            </Anchor>
            ; then say here whom they see.
          </Empty>
        }
      />
      {edited && <Seeing view={edited} onClose={() => setEdited(null)} again={again} />}
    </Part>
  );
}

const Sees = ({ view: { seesEverybody, groups } }: { view: View }) => {
  if (seesEverybody) return 'Everybody';
  if (!groups.length)
    return (
      <Text span inherit c="dimmed">
        Sums only
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

function Seeing({ view, onClose, again }: { view: View; onClose(): void; again(): void }) {
  const { units } = useUnits('group');
  const [choice, setChoice] = useState<Choice>(
    view.seesEverybody ? 'everybody' : view.groups.length ? 'groups' : 'nobody',
  );
  const [groupIds, setGroupIds] = useState(view.groups.map(({ id }) => id));
  const { send, problem, isSending } = useChange(setView, {
    done: 'Saved, and recorded.',
    onDone: () => {
      onClose();
      again();
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
    <Modal opened onClose={onClose} title={`Whom ${visible(view.name)} sees`}>
      <Stack>
        {problem && <ProblemNote problem={problem} />}
        <Radio.Group label="Single figures of" value={choice} onChange={(value) => setChoice(value as Choice)}>
          <Stack gap={6} mt={6}>
            <Radio value="nobody" label="Nobody: sums only" />
            <Radio value="groups" label="People of these groups" />
            <Radio value="everybody" label="Everybody, and whoever nobody was matched to" />
          </Stack>
        </Radio.Group>
        {choice === 'groups' && (
          <MultiSelect
            label="Groups"
            searchable
            nothingFoundMessage="None of that name"
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
            Save
          </Button>
        </Group>
      </Stack>
    </Modal>
  );
}

function Pseudonyms({ areShown, again }: { areShown: boolean; again(): void }) {
  const [isAsked, setAsked] = useState(false);
  const show = useChange(showPseudonyms, { isLoud: true, onDone: again });
  const renew = useChange(renewPseudonyms, {
    done: ({ renewSpendPseudonyms }) => `${renewSpendPseudonyms} people have new pseudonyms.`,
    onDone: () => setAsked(false),
  });
  return (
    <Section
      title="Pseudonyms"
      lead="Drawn by lot, and the same from month to month. You see who is who, and never a pseudonym beside it."
    >
      <Stack align="flex-start">
        <Switch
          label="Call people by pseudonyms in reports and files, for analysts too"
          checked={areShown}
          disabled={show.isSending}
          onChange={({ currentTarget }) => void show.send({ input: { areShown: currentTarget.checked } })}
        />
        <Button variant="subtle" color="red" onClick={() => setAsked(true)}>
          Draw new ones
        </Button>
      </Stack>
      <Confirm
        opened={isAsked}
        onClose={() => setAsked(false)}
        title="Draw new pseudonyms?"
        verb="Draw new ones"
        name="new pseudonyms"
        problem={renew.problem}
        isSending={renew.isSending}
        onConfirm={() => void renew.send({})}
      >
        <Text size="sm">
          What anybody noted under the old ones belongs to nobody then; months before cannot be compared by name. It
          cannot be taken back.
        </Text>
      </Confirm>
    </Section>
  );
}
