import { ActionIcon, Button, Group, Menu, Modal, Stack, Text, TextInput } from '@mantine/core';
import { IconDots, IconPlus, IconUsersGroup } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { graphql } from '../../api/graphql.ts';
import { singlePage } from '../../kit/single-page.ts';
import { Confirm } from '../../kit/confirm.tsx';
import { Empty } from '../../kit/empty.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Rows } from '../../kit/rows.tsx';
import { PlainSection } from '../../kit/plain-section.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { visible } from '../../kit/visible.ts';
import { type Unit, type UnitKind, useUnits } from './use-units.ts';

const createUnit = graphql(`
  mutation CreateSpendUnit($input: CreateSpendUnitInput!) {
    createSpendUnit(input: $input) {
      id
    }
  }
`);
const renameUnit = graphql(`
  mutation RenameSpendUnit($input: RenameSpendUnitInput!) {
    renameSpendUnit(input: $input) {
      id
    }
  }
`);
const removeUnit = graphql(`
  mutation RemoveSpendUnit($input: SpendUnitInput!) {
    removeSpendUnit(input: $input) {
      id
    }
  }
`);

const kinds: readonly { kind: UnitKind; title: string; singular: string; lead: string }[] = [
  {
    kind: 'group',
    title: 'Groups',
    singular: 'group',
    lead: 'Teams for reports. Avoid groups of one person: their totals reveal individual usage.',
  },
  { kind: 'cost_centre', title: 'Cost centres', singular: 'cost centre', lead: 'Where costs are charged.' },
];

/** Groups and cost centres for reports. A person has at most one of each. */
export const Component = () => kinds.map((kind) => <Units key={kind.kind} {...kind} />);

function Units({ kind, title, singular, lead }: (typeof kinds)[number]) {
  const { units, refetch } = useUnits(kind);
  const [edited, setEdited] = useState<Unit | 'new' | null>(null);
  const [removed, setRemoved] = useState<Unit | null>(null);
  return (
    <PlainSection
      title={title}
      lead={lead}
      actions={
        <Button
          variant="default"
          size="xs"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => setEdited('new')}
        >
          Create {singular}
        </Button>
      }
    >
      {units && (
        <Rows
          label={title}
          pages={singlePage(units)}
          keyOf={({ id }) => id}
          columns={[
            { label: 'Name', cell: ({ name }) => <Untrusted text={name} /> },
            {
              label: 'Actions',
              width: '1%',
              cell: (unit) => <UnitMenu unit={unit} rename={() => setEdited(unit)} remove={() => setRemoved(unit)} />,
            },
          ]}
          empty={<Empty icon={IconUsersGroup} title={`No ${title.toLowerCase()} yet`} />}
        />
      )}
      {edited && (
        <UnitForm
          kind={kind}
          singular={singular}
          unit={edited === 'new' ? null : edited}
          onClose={() => setEdited(null)}
          onDone={refetch}
        />
      )}
      {removed && <RemoveUnit unit={removed} singular={singular} onClose={() => setRemoved(null)} onDone={refetch} />}
    </PlainSection>
  );
}

const UnitMenu = ({ unit, rename, remove }: { unit: Unit; rename(): void; remove(): void }) => (
  <Menu position="bottom-end">
    <Menu.Target>
      <ActionIcon variant="subtle" color="gray" aria-label={`Actions for ${visible(unit.name)}`}>
        <IconDots size={18} />
      </ActionIcon>
    </Menu.Target>
    <Menu.Dropdown>
      <Menu.Item onClick={rename}>Rename</Menu.Item>
      <Menu.Item color="red" onClick={remove}>
        Remove
      </Menu.Item>
    </Menu.Dropdown>
  </Menu>
);

interface Props {
  singular: string;
  onClose(): void;
  onDone(): void;
}

function UnitForm({ kind, singular, unit, onClose, onDone }: Props & { kind: UnitKind; unit: Unit | null }) {
  const [name, setName] = useState(unit?.name ?? '');
  const onSaved = () => {
    onClose();
    onDone();
  };
  const create = useChange(createUnit, { done: `"${name.trim()}" was created.`, onDone: onSaved });
  const rename = useChange(renameUnit, { done: 'Name saved.', onDone: onSaved });
  const problem = create.problem ?? rename.problem;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (unit) void rename.send({ input: { unitId: unit.id, name: name.trim() } });
    else void create.send({ input: { kind, name: name.trim() } });
  };
  return (
    <Modal opened onClose={onClose} title={unit ? `Rename ${visible(unit.name)}` : `Create ${singular}`}>
      <form onSubmit={submit}>
        <Stack>
          {problem && <ProblemNote problem={problem} />}
          <TextInput
            label="Name"
            required
            maxLength={120}
            data-autofocus
            value={name}
            onChange={({ currentTarget }) => setName(currentTarget.value)}
            error={faultOf(problem, 'name')}
          />
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" disabled={!name.trim()} loading={create.isSending || rename.isSending}>
              {unit ? 'Save name' : `Create ${singular}`}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function RemoveUnit({ unit, singular, onClose, onDone }: Props & { unit: Unit }) {
  const { send, problem, isSending } = useChange(removeUnit, {
    done: `${visible(unit.name)} removed.`,
    onDone: () => {
      onClose();
      onDone();
    },
  });
  return (
    <Confirm
      opened
      onClose={onClose}
      title={`Remove ${visible(unit.name)}?`}
      verb={`Remove ${singular}`}
      problem={problem}
      isSending={isSending}
      onConfirm={() => void send({ input: { unitId: unit.id } })}
    >
      <Text size="sm">
        Its budgets are removed too. You can’t remove a group or cost centre that has people or that analysts have
        access to.
      </Text>
    </Confirm>
  );
}
