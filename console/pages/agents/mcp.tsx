import { Alert, Anchor, Button, Group, Stack, Tabs, Text, Title } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { useQuery } from 'urql';
import { graphql, type ResultOf } from '../../api/graphql.ts';
import { useChangeEvents } from '../../api/change-events.ts';
import { singlePage } from '../../kit/single-page.ts';
import { CopyField, Snippet } from '../../kit/copy.tsx';
import { Loaded } from '../../kit/loaded.tsx';
import { type Column, Rows } from '../../kit/rows.tsx';
import '../../kit/route-tabs.css';
import { Section } from '../../kit/section.tsx';
import { StateBadge } from '../../kit/state-badge.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { useChange } from '../../kit/use-change.tsx';
import { When } from '../../kit/when.tsx';
import { sentenceCase } from '../../features/tasks/states.ts';

const query = graphql(`
  query ConfigurationAssistants($id: ID!) {
    configuration(id: $id) {
      id
      mcpUrl
      assistantsUrl
      knownAssistants {
        id
        name
        hint
        obstacle
        client {
          id
        }
        steps {
          say
          paste
        }
      }
      mcpClients {
        id
        name
        type
        status
        lastUsedAt
      }
    }
  }
`);

type Surface = ResultOf<typeof query>['configuration'];
type Assistant = Surface['knownAssistants'][number];
type Client = Surface['mcpClients'][number];

export function Component() {
  const { id = '' } = useParams();
  const [result, refetch] = useQuery({ query, variables: { id } });
  useChangeEvents(['configuration', 'client'], () => refetch({ requestPolicy: 'network-only' }));
  return (
    <Loaded result={result} refetch={refetch}>
      {({ configuration }) => (
        <>
          <Section
            title="Connection"
            lead="Assistants connect to this URL. The client that they use determines the configuration."
          >
            <Stack gap="sm">
              <CopyField label="MCP resource URL" value={configuration.mcpUrl} />
              <CopyField
                label="Setup page URL"
                value={configuration.assistantsUrl}
                hint="Share this page with people in the groups. It explains how to connect their assistant."
              />
            </Stack>
          </Section>
          <AssistantTabs configurationId={id} assistants={configuration.knownAssistants} />
          <Clients clients={configuration.mcpClients} />
        </>
      )}
    </Loaded>
  );
}

function AssistantTabs({ configurationId, assistants }: { configurationId: string; assistants: readonly Assistant[] }) {
  return (
    <Section
      title="Assistants"
      lead="Register an assistant once. Then everyone in the groups with access can connect their own."
    >
      <Tabs defaultValue={assistants[0]?.id} keepMounted={false}>
        <Tabs.List aria-label="Assistant" mb="md" className="tabs">
          {assistants.map(({ id, name }) => (
            <Tabs.Tab key={id} value={id}>
              {name}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {assistants.map((assistant) => (
          <Tabs.Panel key={assistant.id} value={assistant.id}>
            <AssistantSetup configurationId={configurationId} assistant={assistant} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Section>
  );
}

const AssistantSetup = ({ configurationId, assistant }: { configurationId: string; assistant: Assistant }) => (
  <Stack>
    {assistant.hint && (
      <Text size="sm" c="dimmed">
        {assistant.name}: {assistant.hint}
      </Text>
    )}
    {assistant.obstacle && (
      <Alert color="yellow" variant="light" title="This assistant might not reach the server">
        {assistant.obstacle}
      </Alert>
    )}
    {assistant.client ? (
      <SetupSteps of={assistant} />
    ) : (
      <RegisterAssistant configurationId={configurationId} of={assistant} />
    )}
  </Stack>
);

const SetupSteps = ({ of: { steps } }: { of: Assistant }) => (
  <Stack component="ol" gap="md" m={0} pl="lg" fz="sm">
    {steps.map(({ say, paste }) => (
      <li key={say}>
        <Text size="sm" mb={paste ? 6 : 0}>
          {say}
        </Text>
        {paste && <Snippet text={paste} />}
      </li>
    ))}
  </Stack>
);

const register = graphql(`
  mutation RegisterAssistant($input: RegisterAssistantInput!) {
    registerAssistant(input: $input) {
      id
    }
  }
`);

function RegisterAssistant({ configurationId, of: { id, name } }: { configurationId: string; of: Assistant }) {
  const { send, isSending } = useChange(register, { done: `${name} is registered.`, isLoud: true });
  return (
    <Group>
      <Button variant="light" loading={isSending} onClick={() => send({ input: { configurationId, assistant: id } })}>
        Register {name}
      </Button>
      <Text size="sm" c="dimmed">
        Uses the vendor’s default settings.
      </Text>
    </Group>
  );
}

const columns: Column<Client>[] = [
  { label: 'Client', cell: ({ name }) => <Untrusted text={name} /> },
  { label: 'Type', cell: ({ type }) => (type === 'public' ? 'Public (PKCE)' : 'Confidential'), isMinor: true },
  { label: 'Status', cell: ({ status }) => <StateBadge state={status} label={sentenceCase(status)} /> },
  { label: 'Last used', cell: ({ lastUsedAt }) => <When at={lastUsedAt} never="Never" /> },
];

const Clients = ({ clients }: { clients: readonly Client[] }) => (
  <section aria-labelledby="clients">
    <Title order={2} id="clients">
      Clients
    </Title>
    <Text size="sm" c="dimmed" mt={2} mb="sm">
      Clients that use this configuration over MCP.
    </Text>
    <Rows
      label="Clients"
      pages={singlePage(clients)}
      columns={columns}
      keyOf={({ id }) => id}
      to={({ id }) => `/organization/developer-access/${id}`}
      empty={
        <Text size="sm" c="dimmed">
          No clients yet. Register an assistant above, or create an external client under{' '}
          <Anchor component={Link} to="/organization/developer-access" inherit>
            Developer Access
          </Anchor>
          .
        </Text>
      }
    />
  </section>
);
