import { Button, Group, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { graphql } from '../../api/graphql.ts';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Section } from '../../kit/section.tsx';
import { Unsaved } from '../../kit/unsaved.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { ConflictNotice, useFormBaseline } from '../../kit/use-form-baseline.tsx';
import { type Person, personFields } from './person-query.ts';
import { UnitSelect } from './unit-select.tsx';

const updatePerson = graphql(
  `
    mutation UpdateSpendPerson($input: UpdateSpendPersonInput!) {
      updateSpendPerson(input: $input) {
        ...PersonFields
      }
    }
  `,
  [personFields],
);

const valuesOf = ({ name, email, groupId, costCentreId }: Person) => ({
  name,
  email: email ?? '',
  groupId,
  costCentreId,
});

export function PersonForm({ person }: { person: Person }) {
  const { seen, see, isOutdated } = useFormBaseline(person);
  const form = useForm({ initialValues: valuesOf(seen) });
  const restart = (now: Person) => {
    see(now);
    form.setInitialValues(valuesOf(now));
    form.setValues(valuesOf(now));
    form.resetDirty();
  };
  const { send, problem, isSending } = useChange(updatePerson, {
    done: 'Person saved.',
    onDone: ({ updateSpendPerson }) => restart(updateSpendPerson),
  });
  const isMember = seen.memberId !== null;
  const submit = ({ name, email, groupId, costCentreId }: ReturnType<typeof valuesOf>) =>
    send({
      input: {
        personId: seen.id,
        basedOn: seen.version,
        ...(!isMember && { name, email: email || null }),
        groupId,
        costCentreId,
      },
    });
  return (
    <Section title="Details" lead="If you change the group or cost centre, past usage moves too.">
      <form onSubmit={form.onSubmit(submit)} noValidate>
        <Stack maw="28rem">
          {isOutdated && <ConflictNotice onCatchUp={() => restart(person)} />}
          {problem && <ProblemNote problem={problem} />}
          <TextInput
            label="Name"
            description={isMember ? 'Members manage their name and email in their account.' : undefined}
            disabled={isMember}
            required={!isMember}
            {...form.getInputProps('name')}
            error={faultOf(problem, 'name')}
          />
          <TextInput
            label="Email"
            type="email"
            disabled={isMember}
            {...form.getInputProps('email')}
            error={faultOf(problem, 'email')}
          />
          <UnitSelect kind="group" {...form.getInputProps('groupId')} />
          <UnitSelect kind="cost_centre" {...form.getInputProps('costCentreId')} />
          <Group>
            <Button type="submit" loading={isSending} disabled={!form.isDirty()}>
              Save person
            </Button>
          </Group>
        </Stack>
      </form>
      <Unsaved isDirty={form.isDirty()} />
    </Section>
  );
}
