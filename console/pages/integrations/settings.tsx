import { Alert, Button, Checkbox, Group, Stack, TextInput } from '@mantine/core';
import { IconAlertTriangle, IconUsers } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { useParams } from 'react-router';
import type { UseQueryExecute } from 'urql';
import { changedTargets } from '../../../src/connections/targets.ts';
import { graphql } from '../../api/graphql.ts';
import { Loaded } from '../../kit/loaded.tsx';
import { ProblemNote } from '../../kit/problem-note.tsx';
import { Unsaved } from '../../kit/unsaved.tsx';
import { Untrusted } from '../../kit/untrusted.tsx';
import { faultOf, useChange } from '../../kit/use-change.tsx';
import { When } from '../../kit/when.tsx';
import { changesOf, FieldInput, isEmpty, type FieldValues, valuesOf } from '../../features/integrations/fields.tsx';
import { ConnectorFields } from '../../features/integrations/connector-fields.tsx';
import { type Integration, useIntegration } from './integration-query.ts';
import { ConnectionResultRules } from './result-rules.tsx';
import { type ConnectorField, type Connector, useConnectors } from '../../features/integrations/connectors.ts';

const mutation = graphql(`
  mutation UpdateIntegration($input: UpdateConnectionInput!) {
    updateConnection(input: $input) {
      id
      revision
      status
    }
  }
`);

export function Component() {
  const { id = '' } = useParams();
  const [result, refetch] = useIntegration(id);
  const [connectors] = useConnectors();
  return (
    <Loaded result={result} refetch={refetch}>
      {({ connection }) => (
        <Loaded result={connectors}>
          {({ connectors }) => {
            const connector = connectors.find(({ id }) => id === connection.kind);
            return (
              connector && (
                <>
                  <LatestSettings connection={connection} connector={connector} refetch={refetch} />
                  {connector.offers.includes('tools') && <ConnectionResultRules key={connection.id} of={connection} />}
                </>
              )
            );
          }}
        </Loaded>
      )}
    </Loaded>
  );
}

/** Keeps the form on the revision that it was opened with, and shows a notice when another person saves. */
function LatestSettings({
  connection,
  connector,
  refetch,
}: {
  connection: Integration;
  connector: Connector;
  refetch: UseQueryExecute;
}) {
  const [seen, setSeen] = useState(connection);
  const isOld = connection.revision !== seen.revision || connection.name !== seen.name;
  return (
    <>
      {isOld && <ChangedNotice of={connection} loadLatest={() => setSeen(connection)} />}
      <SettingsForm
        key={`${seen.revision} ${seen.name}`}
        connection={seen}
        connector={connector}
        onSaved={(saved) => setSeen({ ...connection, ...saved })}
        onOutdated={() => refetch({ requestPolicy: 'network-only' })}
      />
    </>
  );
}

const ChangedNotice = ({ of: { changedAt, changedBy }, loadLatest }: { of: Integration; loadLatest(): void }) => (
  <Alert color="yellow" icon={<IconUsers aria-hidden />} title="Settings changed" role="status" mb="md">
    <Group justify="space-between">
      <span>
        <Untrusted text={changedBy?.name ?? 'Another person'} /> saved new settings <When at={changedAt} />. Your
        changes are still here, but not saved.
      </span>
      <Button size="compact-sm" variant="default" onClick={loadLatest}>
        Discard my changes and reload
      </Button>
    </Group>
  </Alert>
);

/** Shown as a notice above the form instead of as an error. */
const connectionChanged = 'connection-changed';

interface FormProps {
  connection: Integration;
  connector: Connector;
  onSaved(saved: { name: string; revision: number; settings: Integration['settings'] }): void;
  /** Called when saving fails because there are newer settings and no change event arrived. */
  onOutdated(): void;
}

function SettingsForm({ connection, connector, onSaved, onOutdated }: FormProps) {
  const settings = connection.settings as Record<string, unknown>;
  const [before] = useState(() => valuesOf(connector.fields, settings));
  const [values, setValues] = useState<FieldValues>(before);
  const [name, setName] = useState(connection.name);
  const [removedSecrets, setRemovedSecrets] = useState<string[]>([]);
  const { send, problem, isSending } = useChange(mutation, {
    done: ({ updateConnection: { status } }) =>
      status === 'failed' ? 'Saved, but the connection test failed.' : 'Saved. Connection test passed.',
    onRefused: ({ code }) => code === connectionChanged && onOutdated(),
  });

  const changes = changesOf(connector.fields, before, values);
  const secrets = { ...Object.fromEntries(removedSecrets.map((name) => [name, null])), ...changes.secrets };
  const hasNewName = name.trim() !== connection.name;
  const isDirty = hasNewName || Object.keys({ ...changes.settings, ...secrets }).length > 0;
  const after = { ...settings, ...changes.settings };
  const clearing = connection.credentials.length ? changedTargets(connector, settings, after) : [];

  const faultIn = (name: string) => faultOf(problem, `settings/${name}`) ?? faultOf(problem, `secrets/${name}`);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const { id, revision } = connection;
    const input = { id, revision, ...(hasNewName && { name }), settings: changes.settings, secrets };
    const data = await send({ input });
    if (data) onSaved({ name: name.trim(), revision: data.updateConnection.revision, settings: after });
  };

  return (
    <form onSubmit={submit} aria-label="Settings">
      <Unsaved isDirty={isDirty && !isSending} />
      <Stack maw="36rem">
        {problem && problem.code !== connectionChanged && <ProblemNote problem={problem} />}
        <TextInput
          label="Display name"
          required
          maxLength={80}
          value={name}
          error={faultOf(problem, 'name')}
          onChange={({ currentTarget }) => setName(currentTarget.value)}
        />
        <ConnectorFields
          connector={connector}
          isAlwaysShown={({ name, type }) =>
            type === 'containers' || !isEmpty(values[name]) || faultIn(name) !== undefined
          }
          hasContainers
        >
          {(field) => (
            <SettingField
              field={field}
              connectionId={connection.id}
              isSet={connection.credentials.includes(field.name)}
              isCleared={clearing.length > 0}
              isRemoved={removedSecrets.includes(field.name)}
              setRemoved={(isRemoved) =>
                setRemovedSecrets((names) =>
                  isRemoved ? [...names, field.name] : names.filter((name) => name !== field.name),
                )
              }
              value={values[field.name]}
              error={faultIn(field.name)}
              onChange={(value) => setValues((before) => ({ ...before, [field.name]: value }))}
            />
          )}
        </ConnectorFields>
        {clearing.length > 0 && <ClearedCredentials by={labelsOf(connector, clearing)} />}
        <Group justify="flex-end">
          <Button type="submit" loading={isSending} disabled={!isDirty}>
            Save and test connection
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

const labelsOf = ({ fields }: Connector, names: readonly string[]) =>
  fields.filter(({ name }) => names.includes(name)).map(({ label }) => label);

const lists = new Intl.ListFormat('en', { type: 'conjunction' });

const ClearedCredentials = ({ by }: { by: readonly string[] }) => (
  <Alert color="yellow" icon={<IconAlertTriangle aria-hidden />} title="Saving clears the credentials">
    You changed: {lists.format(by)}. Credentials are only sent to the address that they were entered for. Enter them
    again above.
  </Alert>
);

interface EntryProps {
  field: ConnectorField;
  connectionId: string;
  /** Whether a credential is stored. */
  isSet: boolean;
  isCleared: boolean;
  isRemoved: boolean;
  setRemoved(isRemoved: boolean): void;
  value: FieldValues[string];
  error?: string;
  onChange(value: FieldValues[string]): void;
}

/** A setting or a credential. A stored credential is never shown. */
function SettingField({ field, isSet, isCleared, isRemoved, setRemoved, ...input }: EntryProps) {
  if (field.type !== 'secret') return <FieldInput field={field} {...input} />;
  const staysStored = isSet && !isCleared && !isRemoved;
  return (
    <div>
      <FieldInput
        field={field}
        {...input}
        isRequired={field.required && !staysStored}
        placeholder={staysStored ? 'Stored. Leave empty to keep it' : undefined}
      />
      {isSet && !field.required && !isCleared && !input.value && (
        <Checkbox
          mt={6}
          size="sm"
          label={`Remove stored ${field.label.toLowerCase()}`}
          checked={isRemoved}
          onChange={({ currentTarget }) => setRemoved(currentTarget.checked)}
        />
      )}
    </div>
  );
}
