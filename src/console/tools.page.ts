import type { Tool } from '../connections/tool.entity.js';
import { html, type PageContent, renderMarkedText } from '../platform/http/page.js';

interface PendingReviewPageContent {
  tools: Tool[];
  organization: string;
  person: string;
}

export const toolsPendingReviewPage = ({ tools, organization, person }: PendingReviewPageContent): PageContent => ({
  title: 'Tools that are held back',
  headerContent: html`${renderMarkedText(organization)} · ${renderMarkedText(person)}`,
  body: html`<p>
      A connected system that changes what it says about a tool changes what is asked of it, and what language models
      read. No call of such a tool goes through until an administrator has seen the difference.
    </p>
    ${
      tools.length
        ? html`<div class="sheet">
            <ul>
              ${tools.map(
                ({ id, name, title }) =>
                  html`<li>
                    <a href="/tools/${id}"><code>${name}</code></a> ${renderMarkedText(title)}
                  </li>`,
              )}
            </ul>
          </div>`
        : html`<p class="sheet">None is: every tool is as it was confirmed.</p>`
    }
    <p><a href="/account">Your account</a></p>`,
});
