import { Button, Checkbox, Group, Radio, Select, Stack, TagsInput, Text, Textarea, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import type { ReactNode } from 'react';
import type { Problem } from '../../../api/problem.ts';
import { ProblemNote } from '../../../kit/problem-note.tsx';
import { Section } from '../../../kit/section.tsx';
import { Unsaved } from '../../../kit/unsaved.tsx';
import { faultOf } from '../../../kit/use-change.tsx';
import { CallbackUrls } from './callback-urls.tsx';
import { authMethodWords, type Client, type Scope, scopeWords } from './client-fields.ts';
import { useConfigurationChoices } from './use-configuration-choices.ts';

export interface ClientValues {
  name: string;
  description: string;
  logoUrl: string;
  contacts: string[];
  type: Client['type'];
  isNative: boolean;
  redirectUris: string[];
  target: Client['target'];
  configurationId: string | null;
  scopes: Scope[];
  authMethod: Client['authMethod'];
}

interface Props {
  values: ClientValues;
  /** A client stays what it was made as. */
  isTypeFixed?: boolean;
  verb: string;
  problem: Problem | null;
  again?: () => void;
  isSending: boolean;
  onSave(values: ClientValues): void;
  aside: ReactNode;
}

/** What goes to the server: what does not fit together is left out. */
export const registrationOf = ({ description, logoUrl, configurationId, ...values }: ClientValues) => ({
  ...values,
  description: description.trim() || null,
  logoUrl: logoUrl.trim() || null,
  configurationId: values.target === 'mcp' ? configurationId : null,
  redirectUris: values.redirectUris.filter(Boolean),
  isNative: values.type === 'public' && values.isNative,
  authMethod: values.type === 'public' ? ('none' as const) : values.authMethod,
});

export function ClientForm({ values, isTypeFixed, verb, problem, again, isSending, onSave, aside }: Props) {
  const form = useForm({ initialValues: values });
  const { type, target, redirectUris, scopes, authMethod, configurationId } = form.values;
  const configurations = useConfigurationChoices();
  const fault = (field: string) => faultOf(problem, field);
  return (
    <form onSubmit={form.onSubmit(onSave)}>
      <Unsaved isDirty={form.isDirty()} />
      {problem && <ProblemNote problem={problem} again={again} />}
      <Section title="The product" lead="People see this when it asks them for access.">
        <Stack maw="36rem">
          <TextInput label="Name" required error={fault('name')} {...form.getInputProps('name')} />
          <Textarea
            label="Description"
            autosize
            minRows={2}
            error={fault('description')}
            {...form.getInputProps('description')}
          />
          <TextInput
            label="Logo"
            description="An https:// address of a picture."
            type="url"
            error={fault('logoUrl')}
            {...form.getInputProps('logoUrl')}
          />
          <TagsInput
            label="Contacts"
            description="E-mail addresses of those who look after it."
            acceptValueOnBlur
            error={fault('contacts')}
            {...form.getInputProps('contacts')}
          />
        </Stack>
      </Section>
      <Section title="How it runs">
        <Stack maw="36rem">
          {isTypeFixed ? (
            <Text size="sm">
              {type === 'public' ? 'Public: proves itself by PKCE alone.' : 'Confidential: keeps a secret on a server.'}{' '}
              That stays; for the other kind, create another client.
            </Text>
          ) : (
            <Radio.Group label="Type" required {...form.getInputProps('type')}>
              <Stack gap="xs" mt="xs">
                <Radio
                  value="public"
                  label="Public (PKCE)"
                  description="Runs where its users can look into it: in a browser, on a phone, on their own machine. Has no secret."
                />
                <Radio
                  value="confidential"
                  label="Confidential (backend)"
                  description="Runs on a server that keeps a secret. PKCE as well."
                />
              </Stack>
            </Radio.Group>
          )}
          {type === 'public' && (
            <Checkbox
              label="Installed on its user’s own machine"
              description="May be called back at http://localhost and http://127.0.0.1, too."
              error={fault('isNative')}
              {...form.getInputProps('isNative', { type: 'checkbox' })}
            />
          )}
          <CallbackUrls
            value={redirectUris}
            onChange={(urls) => form.setFieldValue('redirectUris', urls)}
            fault={fault}
          />
          {type === 'confidential' && (
            <Select
              label="How it proves itself at the token endpoint"
              data={(['client_secret_basic', 'client_secret_post'] as const).map((value) => ({
                value,
                label: authMethodWords[value],
              }))}
              allowDeselect={false}
              value={authMethod}
              error={fault('authMethod')}
              onChange={(method) => method && form.setFieldValue('authMethod', method)}
            />
          )}
        </Stack>
      </Section>
      <Section title="What it reaches">
        <Stack maw="36rem">
          <Radio.Group label="Target" required {...form.getInputProps('target')}>
            <Stack gap="xs" mt="xs">
              <Radio
                value="api"
                label="The API"
                description="Search, documents, tasks and tools of every configuration that the person may use."
              />
              <Radio
                value="mcp"
                label="A configuration over MCP"
                description="The tools of one governed configuration, for assistants."
              />
            </Stack>
          </Radio.Group>
          {target === 'mcp' && (
            <Select
              label="Configuration"
              placeholder={configurations.length ? 'Choose one' : 'There is none yet'}
              required
              searchable
              data={configurations}
              value={configurationId}
              error={fault('configurationId')}
              onChange={(id) => form.setFieldValue('configurationId', id)}
            />
          )}
          <Checkbox.Group
            label="Scopes"
            description="The most that it may ask for."
            required
            value={scopes}
            error={fault('scopes')}
            onChange={(chosen) => form.setFieldValue('scopes', chosen)}
          >
            <Stack gap="xs" mt="xs">
              {(Object.keys(scopeWords) as Scope[]).map((scope) => (
                <Checkbox
                  key={scope}
                  value={scope}
                  label={scopeWords[scope].name}
                  description={scopeWords[scope].what}
                />
              ))}
            </Stack>
          </Checkbox.Group>
        </Stack>
      </Section>
      <Group>
        <Button type="submit" loading={isSending}>
          {verb}
        </Button>
        {aside}
      </Group>
    </form>
  );
}
