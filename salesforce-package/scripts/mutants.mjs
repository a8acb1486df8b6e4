// Lines of the Apex that keep a promise, each changed as a mistake would: a test has to notice (mutate.mjs).

/** @typedef {{ file: string, from: string, to: string }} Mutant from: stands in the class once */

/** @param {string} file @param {[string, string][]} changes @returns {Mutant[]} */
const of = (file, changes) => changes.map(([from, to]) => ({ file, from, to }));

/** @type {Mutant[]} */
export const MUTANTS = [
  ...of('DocgenClaim', [
    // What another worker took between the query and the lock.
    ['return row.Status__c == DocgenRows.QUEUED &&', 'return'],
    ['row.Suspect__c == request.alone &&', ''],
    ['row.ScheduledRetryTime__c <= now) &&', 'true) &&'],
    ['if (row == null || !isDue(row)) {', 'if (row == null) {'],
    ['if (!failures.containsKey(row.Id)) {', 'if (true) {'],
    ['if (chosen.size() == request.most) {', 'if (false) {'],
    ['Long epoch = Math.max(next, now.getTime());', 'Long epoch = 1;'],
    ['Long epoch = Math.max(next, now.getTime());', 'Long epoch = now.getTime();'],
    ["row.LeaseToken__c = row.Id + ':' + epoch;", "row.LeaseToken__c = row.Id + ':';"],
    ['row.ClaimId__c = request.mark();', ''],
    ['request.most = Math.min(request.most, 1);', ''],
    ['if (DocgenRows.same(row.ClaimId__c, request.mark())) {', 'if (true) {'],
    ['characters < MOST_CHARACTERS &&', ''],
  ]),
  ...of('DocgenTakeOver', [
    ['if (row.Status__c == DocgenRows.PROCESSING && row.LockedUntil__c < now) {', 'if (true) {'],
    [
      'if (row.Status__c == DocgenRows.PROCESSING && row.LockedUntil__c < now) {',
      'if (row.Status__c == DocgenRows.PROCESSING) {',
    ],
    ['Boolean begun = row.ClaimId__c == null;', 'Boolean begun = true;'],
    [
      '} else if (begun && row.Suspect__c && row.Attempts__c >= most) {',
      '} else if (row.Attempts__c >= most) {',
    ],
    ['row.Attempts__c = Math.min(row.Attempts__c.intValue(), most - 1);', ''],
    ['if (row.CancelRequested__c) {', 'if (false) {'],
    ['if (!failures.containsKey(row.Id)) {', 'if (true) {'],
    ['DocgenRows.clearLease(row);', ''],
  ]),
  ...of('DocgenQueue', [
    ['if (DocgenRows.holds(row, outcome.token)) {', 'if (row != null) {'],
    ["settled.answers.add(wasMine ? 'already' : 'stale');", "settled.answers.add('stale');"],
    ['row.SettledToken__c = outcome.token;', ''],
    [
      'new Generated_Document__c(Id = row.Id, LockedUntil__c = until, ClaimId__c = null)',
      'new Generated_Document__c(Id = row.Id, LockedUntil__c = until)',
    ],
    ['if (DocgenRows.holds(row, lease.token())) {', 'if (true) {'],
    ['if (failures.containsKey(row.Id)) {', 'if (false) {'],
    ['if (outcome.requestJson != null) {', 'if (true) {'],
    ["if (outcome.move != 'handBack') {", 'if (true) {'],
    ['if (outcome.subject != null && row.Subject__c == null) {', 'if (false) {'],
    [
      'if (row.CancelRequested__c) {\n      DocgenRows.cancel(row, now);',
      'if (false) {\n      DocgenRows.cancel(row, now);',
    ],
    [
      'if (row.Status__c == DocgenRows.FAILED || row.Status__c == DocgenRows.CANCELED) {',
      'if (true) {',
    ],
  ]),
  ...of('DocgenRows', [
    ['return one == null ? other == null : one.equals(other);', 'return one == other;'],
    ['row.Status__c == PROCESSING &&', ''],
    ['WITH SYSTEM_MODE\n      FOR UPDATE', 'WITH SYSTEM_MODE'],
  ]),
  ...of('GeneratedDocumentHandler', [
    ['if (!DocgenRows.holds(stored, token)) {', 'if (false) {'],
    ['if (row.Epoch__c != stored.Epoch__c) {', 'if (false) {'],
    ['if (stored.Subject__c == null && row.Subject__c != null) {', 'if (false) {'],
    ['if (leaseIsTouched(row, before)) {', 'if (false) {'],
    ['} else if (!isAsPassed(row, before.get(row.Id))) {', '} else {'],
    ['leaseIsTouched(row, before) &&', ''],
    ['if (!row.hasErrors()) {', 'if (true) {'],
    ['row.Status__c == DocgenRows.QUEUED && row.CancelRequested__c', 'row.CancelRequested__c'],
    ['if (row.Status__c == DocgenRows.PROCESSING) {', 'if (false) {'],
    ['row.CancelRequested__c = stored.CancelRequested__c || row.CancelRequested__c;', ''],
  ]),
  ...of('DocgenAccess', [
    ['if (version == null || readable.contains(version)) {', 'if (true) {'],
    ['if (access.isEmpty() || !access[0].HasEditAccess) {', 'if (false) {'],
    ['if (!SEEN_BY_USER.containsKey(userId)) {', 'if (SEEN_BY_USER.isEmpty()) {'],
  ]),
  ...of('DocgenService', [
    ['requireRoom(QUERIES_BEFORE, requests.size());', ''],
    ['draft.outcome.reused = !seen.add(hash);', 'draft.outcome.reused = false;'],
    ['parentIds.removeAll(DocgenAccess.readableParents(parentIds));', 'parentIds = new Set<Id>();'],
    ['duplicates.add(row.RequestHash__c);', ''],
  ]),
  ...of('DocgenIdempotency', [
    ['madeAt >= oldest &&', ''],
    ['files.contains(row.OutputFileId__c);', 'true;'],
  ]),
  ...of('DocgenEnvelopeService', [
    ['} else if (DocgenBudget.isNearlyUsed()) {', '} else if (false) {'],
  ]),
  ...of('DocgenEnqueueQueueable', [
    ['if (!BatchDocgenEnqueue.hasRoom()) {', 'if (false) {'],
    ['failed += rest.size();', ''],
  ]),
  ...of('DocgenCallout', [
    ['if (row.LockedUntil__c < Datetime.now().addSeconds(TIMEOUT_SECONDS)) {', 'if (false) {'],
    ["if (!failed.getMessage().containsIgnoreCase('timed out')) {", 'if (true) {'],
    ['DocgenRows.holds(rows[0], token) ? rows[0] : null;', 'true ? rows[0] : null;'],
  ]),
];
