import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { useMe } from '../../../app/me.tsx';
import { Confirm } from '../../../kit/confirm.tsx';
import { CopyText } from '../../../kit/copy.tsx';
import { Facts } from '../../../kit/facts.tsx';
import { Page } from '../../../kit/page.tsx';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { Unsaved } from '../../../kit/unsaved.tsx';
import { faultOf, useChange } from '../../../kit/use-change.tsx';
import { visible } from '../../../kit/visible.ts';
import { When } from '../../../kit/when.tsx';
import { IntroducedReviewers } from './introduced-reviewers.tsx';

const createdQuery = graphql(`
  query TenantCreated {
    tenant {
      id
      createdAt
    }
  }
`);
const renameTenant = graphql(`
  mutation RenameTenant($input: RenameTenantInput!) {
    renameTenant(input: $input) {
      id
      name
    }
  }
`);
const pauseTenant = graphql(`
  mutation PauseTenant {
    pauseTenant {
      id
      pausedAt
    }
  }
`);

const resumeTenant = graphql(`
  mutation ResumeTenant {
    resumeTenant {
      id
      pausedAt
    }
  }
`);

export const Component = () => (
  <Page title="Settings" lead="What holds for the whole organization.">
    <Name />
    <IntroducedReviewers />
    <Everything />
  </Page>
);

function Name() {
  const { tenant } = useMe();
  const [{ data }] = useQuery({ query: createdQuery });
  const [typed, setTyped] = useState<string | null>(null);
  const { send, problem, isSending } = useChange(renameTenant, { done: 'Saved.', onDone: () => setTyped(null) });
  const fault = faultOf(problem, 'name');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed !== null) void send({ input: { name: typed } });
  };
  return (
    <Section title="Organization">
      <form onSubmit={submit}>
        <Unsaved isDirty={typed !== null && typed !== tenant.name} />
        <Stack maw="30rem">
          {problem && !fault && <ProblemNote problem={problem} />}
          <TextInput
            label="Name"
            description="People see it when they sign in and when a product asks them for access."
            required
            value={typed ?? tenant.name}
            error={fault}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <Facts
            facts={[
              ['Short name', <CopyText key="slug" value={tenant.slug} what="the short name" />],
              ['Set up', data && <When key="at" at={data.tenant.createdAt} />],
            ]}
          />
          <Group>
            <Button type="submit" loading={isSending} disabled={typed === null || typed === tenant.name}>
              Save name
            </Button>
          </Group>
        </Stack>
      </form>
    </Section>
  );
}

function Everything() {
  const { tenant } = useMe();
  const [isAsking, setAsking] = useState(false);
  const pause = useChange(pauseTenant, { done: 'Everything is paused.', onDone: () => setAsking(false) });
  const resume = useChange(resumeTenant, { done: 'Everything goes on.', isLoud: true });
  if (tenant.pausedAt)
    return (
      <Section
        title="Everything is paused"
        lead={
          <>
            Since <When at={tenant.pausedAt} />. Agents, products and machines are refused; tasks wait.
          </>
        }
        actions={
          <Button loading={resume.isSending} onClick={() => resume.send({})}>
            Let everything go on
          </Button>
        }
      />
    );
  return (
    <>
      <Section
        title="Pause everything"
        lead="The kill switch. The next call of every agent, product and machine is refused, on every process, until an administrator lets it go on. Tasks wait, people can still sign in."
        actions={
          <Button color="red" variant="light" onClick={() => setAsking(true)}>
            Pause everything
          </Button>
        }
      />
      <Confirm
        opened={isAsking}
        onClose={() => setAsking(false)}
        title="Pause everything?"
        verb="Pause everything"
        name={visible(tenant.name)}
        problem={pause.problem}
        isSending={pause.isSending}
        onConfirm={() => pause.send({})}
      >
        <Text size="sm">
          From the next call on, nothing works that acts for this organization: agents, products, assistants, machines.
          Nothing is lost: tasks wait until everything goes on.
        </Text>
      </Confirm>
    </>
  );
}
