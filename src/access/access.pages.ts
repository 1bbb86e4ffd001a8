import { field, html, type Html, notice, type PageContent } from '../platform/http/page.js';
import type { Problem } from '../platform/errors/problem.js';
import { minPasswordLength } from './password-rules.js';
import type { Member } from './member.entity.js';
import { namesOfRoles } from './role-names.js';
import type { Tenant } from './tenant.entity.js';

/** Shared by every form: the CSRF field, and the problem with the previous submission. */
interface FormState {
  csrf: Html;
  problem?: Problem;
  /** Submitted values, without passwords. */
  typed?: Record<string, unknown>;
}

const status = ({ problem }: FormState) => problem?.status ?? 200;
const typedText = ({ typed }: FormState, name: string) => (typeof typed?.[name] === 'string' ? typed[name] : '');

function problemNotice({ problem }: FormState): Html {
  const list = problem?.errors?.filter(({ pointer }) => pointer) ?? [];
  if (!list.length) return notice(problem?.message);
  return html`<div class="notice" role="alert">
    ${problem?.message}
    <ul>
      ${list.map(({ pointer, detail }) => html`<li>${labels[pointer] ?? pointer.slice(1)} ${detail}</li>`)}
    </ul>
  </div>`;
}

const labels: Record<string, string> = {
  '/email': 'The email address',
  '/password': 'The password',
  '/name': 'The name',
  '/organization': 'The organization',
  '/slug': 'The URL slug',
};

export const hidden = (name: string, value: string) => html`<input type="hidden" name="${name}" value="${value}" />`;

const newPassword = field({
  name: 'password',
  label: 'Password',
  type: 'password',
  autocomplete: 'new-password',
  minLength: minPasswordLength,
  help: `At least ${minPasswordLength} characters. You can use several words.`,
});

interface SignInState extends FormState {
  tenant: Tenant | null;
  /** The providers of the organization, one button each. */
  providers: { id: string; name: string }[];
  hasPasskeys: boolean;
  next: string;
}

export function signInPage(state: SignInState): PageContent {
  const { tenant, next, csrf } = state;
  const organization = tenant
    ? hidden('organization', tenant.slug)
    : field({
        name: 'organization',
        label: 'Organization',
        value: typedText(state, 'organization'),
        help: 'The URL slug of your organization, as in the link you received.',
        autocomplete: 'organization',
      });
  const email = typedText(state, 'email');
  return {
    status: status(state),
    title: tenant ? `Sign in to ${tenant.name}` : 'Sign in',
    body: html`<form class="sheet narrow" method="post" action="/sign-in">
        ${problemNotice(state)} ${csrf} ${hidden('next', next)} ${organization}
        ${field({ name: 'email', label: 'Email', type: 'email', autocomplete: 'username', value: email, hasFocus: !email })}
        ${field({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', hasFocus: Boolean(email) })}
        <button>Sign in</button>
      </form>
      ${otherSignInMethods(state)}`,
  };
}

/** Links, not forms: our Content-Security-Policy allows forms to submit to our own pages only. */
function otherSignInMethods({ providers, hasPasskeys, next }: SignInState): Html {
  const query = new URLSearchParams({ next }).toString();
  return html`${
    hasPasskeys && html`<p><a class="button quiet" href="/sign-in/passkey?${query}">Sign in with a passkey</a></p>`
  }
  ${providers.map(
    ({ id, name }) => html`<p><a class="button quiet" href="/sign-in/with/${id}?${query}">Sign in with ${name}</a></p>`,
  )}`;
}

export const notSetUpPage = (): PageContent => ({
  status: 404,
  title: 'Not set up yet',
  body: html`<p>
    This server has no organization yet. At startup it prints a set-up link to its terminal: open that link.
  </p>`,
});

interface LinkState extends FormState {
  tenant: Tenant;
  member: Member;
  link: string;
  next: string;
}

export const signInLinkPage = ({ tenant, member, link, next, csrf }: LinkState): PageContent => ({
  title: `Sign in to ${tenant.name}`,
  body: html`<form class="sheet narrow" method="post" action="/sign-in/link">
    <p>This link signs you in once, as <strong>${member.name}</strong> (${member.email}).</p>
    ${csrf} ${hidden('link', link)} ${hidden('next', next)}
    <button>Sign in</button>
  </form>`,
});

interface InvitationState extends FormState {
  tenant: Tenant;
  email: string;
  name: string;
  link: string;
}

export const invitationPage = (state: InvitationState): PageContent => ({
  status: status(state),
  title: `Join ${state.tenant.name}`,
  body: html`<form class="sheet narrow" method="post" action="/invitation">
    ${problemNotice(state)} ${state.csrf} ${hidden('link', state.link)}
    <p>You were invited as <strong>${state.email}</strong>.</p>
    <input type="hidden" name="username" autocomplete="username" value="${state.email}" />
    ${field({ name: 'name', label: 'Your name', autocomplete: 'name', maxLength: 120, value: typedText(state, 'name') || state.name, hasFocus: true })}
    ${newPassword}
    <button>Join</button>
  </form>`,
});

interface ResetState extends FormState {
  tenant: Tenant;
  member: Member;
  link: string;
}

export const resetPage = (state: ResetState): PageContent => ({
  status: status(state),
  title: 'Choose a new password',
  body: html`<form class="sheet narrow" method="post" action="/reset">
    ${problemNotice(state)} ${state.csrf} ${hidden('link', state.link)}
    <p>For <strong>${state.member.email}</strong> at ${state.tenant.name}. This signs you out of all other sessions.</p>
    <input type="hidden" name="username" autocomplete="username" value="${state.member.email}" />
    ${newPassword}
    <button>Set password</button>
  </form>`,
});

export const setUpPage = (state: FormState & { link: string }): PageContent => ({
  status: status(state),
  title: 'Set up Countersign',
  body: html`<form class="sheet narrow" method="post" action="/setup">
    ${problemNotice(state)} ${state.csrf} ${hidden('link', state.link)}
    <p>Create the first organization on this server. You become its administrator.</p>
    ${field({ name: 'organization', label: 'Organization', autocomplete: 'organization', maxLength: 120, value: typedText(state, 'organization'), hasFocus: true })}
    ${field({ name: 'slug', label: 'URL slug', value: typedText(state, 'slug'), isOptional: true, help: 'Used in links, for example larkmoor-robotics. Leave empty to derive it from the name.' })}
    ${field({ name: 'name', label: 'Your name', autocomplete: 'name', maxLength: 120, value: typedText(state, 'name') })}
    ${field({ name: 'email', label: 'Your email', type: 'email', autocomplete: 'username', value: typedText(state, 'email') })}
    ${newPassword}
    <button>Set up</button>
  </form>`,
});

export const signOutPage = (csrf: Html): PageContent => ({
  title: 'Sign out',
  body: html`<form class="sheet narrow" method="post" action="/sign-out">
    ${csrf}
    <p>Your sessions in other browsers stay signed in.</p>
    <button>Sign out</button>
  </form>`,
});

export const accountPage = ({ tenant, member, csrf }: { tenant: Tenant; member: Member; csrf: Html }): PageContent => ({
  title: member.name,
  headerContent: html`${tenant.name}`,
  body: html`<div class="sheet">
      <dl>
        <dt>Organization</dt>
        <dd>${tenant.name}${tenant.pausedAt && html` <strong>(paused)</strong>`}</dd>
        <dt>Email</dt>
        <dd>${member.email}</dd>
        <dt>Roles</dt>
        <dd>${namesOfRoles(member.roles)}</dd>
        <dt>Groups</dt>
        <dd>${member.groups.map(({ name }) => name).join(', ') || 'none'}</dd>
      </dl>
    </div>
    <ul>
      <li><a class="alone" href="/console">Console</a></li>
      <li><a class="alone" href="/console/account">Password and sessions</a></li>
      <li><a class="alone" href="/account/ways-in">Sign-in methods</a></li>
      <li><a class="alone" href="/connected">Connected products</a></li>
      <li><a class="alone" href="/connections">Connected accounts</a></li>
      <li><a class="alone" href="/assistants">Connect your assistant</a></li>
      ${member.roles.includes('admin') && html`<li><a class="alone" href="/tools">Tools pending review</a></li>`}
    </ul>
    <form method="post" action="/sign-out">${csrf}<button class="quiet">Sign out</button></form>`,
});
