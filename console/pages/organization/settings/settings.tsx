import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useQuery } from 'urql';
import { graphql } from '../../../api/graphql.ts';
import { useMe } from '../../../kit/me.tsx';
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
import { BreakGlassMembers } from './break-glass-members.tsx';
import { IntroducedReviewers } from './introduced-reviewers.tsx';
import { TwoPersonAdministration } from './two-person.tsx';

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
  <Page title="Settings" lead="Organization-wide settings">
    <OrganizationName />
    <TwoPersonAdministration />
    <IntroducedReviewers />
    <BreakGlassMembers />
    <PauseOrganization />
  </Page>
);

function OrganizationName() {
  const { tenant } = useMe();
  const [{ data }] = useQuery({ query: createdQuery });
  const [typed, setTyped] = useState<string | null>(null);
  const { send, problem, isSending } = useChange(renameTenant, { done: 'Name saved.', onDone: () => setTyped(null) });
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
            description="Shown when people sign in and when a product requests access."
            required
            value={typed ?? tenant.name}
            error={fault}
            onChange={({ currentTarget }) => setTyped(currentTarget.value)}
          />
          <Facts
            facts={[
              ['URL slug', <CopyText key="slug" value={tenant.slug} what="URL slug" />],
              ['Created', data && <When key="at" at={data.tenant.createdAt} />],
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

function PauseOrganization() {
  const { tenant } = useMe();
  const [isConfirming, setConfirming] = useState(false);
  const pause = useChange(pauseTenant, { done: 'Organization paused.', onDone: () => setConfirming(false) });
  const resume = useChange(resumeTenant, { done: 'Organization resumed.', isLoud: true });
  if (tenant.pausedAt)
    return (
      <Section
        title="Organization paused"
        lead={
          <>
            Paused <When at={tenant.pausedAt} />. Requests of agents, products, and machines are rejected. Tasks wait.
          </>
        }
        actions={
          <Button loading={resume.isSending} onClick={() => resume.send({})}>
            Resume organization
          </Button>
        }
      />
    );
  return (
    <>
      <Section
        title="Pause organization"
        lead="Emergency stop: rejects all requests of agents, products, and machines until an administrator resumes the organization. Tasks wait, and people can still sign in."
        actions={
          <Button color="red" variant="light" onClick={() => setConfirming(true)}>
            Pause organization
          </Button>
        }
      />
      <Confirm
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title="Pause organization?"
        verb="Pause organization"
        name={visible(tenant.name)}
        problem={pause.problem}
        isSending={pause.isSending}
        onConfirm={() => pause.send({})}
      >
        <Text size="sm">
          All requests of agents, products, assistants, and machines are rejected immediately. Tasks wait and continue
          when you resume the organization.
        </Text>
      </Confirm>
    </>
  );
}
