/* families.c - words that name the same kind of thing in records: a schema says "vendor" where a
 * letter says "sold by".
 *
 * Owns: the table, sorted by word. A word may be in several families; each family is one bit.
 */
#include "base/features.h"

#include "evidence/match.h"

enum family {
    BIRTH,
    DUE,
    SUM,
    PRICE,
    AUTHOR,
    PAY,
    START,
    END,
    EMPLOYER,
    PHONE,
    MAIL,
    CUSTOMER,
    VENDOR,
    PLACE,
    STAFF,
    DURATION,
    WINNER,
    LOSER,
    AUDIENCE,
    RUNNERS,
    TEACHER,
    SPOUSE,
    CHILDREN,
    DOCTOR,
    CHAIR,
    ARRIVAL,
    DEPARTURE,
    GUESTS,
    SENDER,
    DEPOSIT,
    QUANTITY,
    ISSUED,
    TAX,
    AREA,
    APPLY,
    PUBLISHED,
    REPORTER,
    FOUNDED,
    TOPIC,
    REASON,
    RESULT,
    TITLE,
    DEVICE,
    SKILL,
    SEVERITY,
    OWNER
};

static const struct {
    const char *word;
    enum family family;
} table[] = {
    /* clang-format off */
    { "about", TOPIC }, { "affiliation", EMPLOYER }, { "amount", SUM },
    { "applications", APPLY }, { "apply", APPLY }, { "area", AREA }, { "arrival", ARRIVAL },
    { "arrive", ARRIVAL }, { "arrives", ARRIVAL }, { "arriving", ARRIVAL }, { "asking", PRICE },
    { "attend", GUESTS }, { "attendance", AUDIENCE }, { "attendees", RUNNERS },
    { "author", AUTHOR }, { "bake", DURATION }, { "basic", SKILL }, { "beat", WINNER },
    { "beats", WINNER }, { "because", REASON }, { "begin", START }, { "begins", START },
    { "bill", CUSTOMER }, { "bill", PRICE }, { "billed", CUSTOMER }, { "birth", BIRTH },
    { "born", BIRTH }, { "buyer", CUSTOMER }, { "by", AUTHOR }, { "by", DUE },
    { "call", PHONE }, { "capacity", GUESTS }, { "cause", REASON }, { "caused", REASON },
    { "chair", CHAIR }, { "chaired", CHAIR }, { "chairman", CHAIR }, { "chairwoman", CHAIR },
    { "charge", PRICE }, { "children", CHILDREN }, { "client", CUSTOMER }, { "closes", APPLY },
    { "closing", APPLY }, { "company", EMPLOYER }, { "compensation", PAY },
    { "consultant", DOCTOR }, { "contact", OWNER }, { "cost", PRICE }, { "costs", PRICE },
    { "crowd", AUDIENCE }, { "customer", CUSTOMER }, { "dated", ISSUED },
    { "daughters", CHILDREN }, { "deadline", APPLY }, { "deadline", DUE },
    { "defeated", WINNER }, { "delegates", GUESTS }, { "depart", DEPARTURE },
    { "departs", DEPARTURE }, { "departure", DEPARTURE }, { "deposit", DEPOSIT },
    { "device", DEVICE }, { "dob", BIRTH }, { "doctor", DOCTOR }, { "dr", DOCTOR },
    { "due", DUE }, { "duration", DURATION }, { "effective", START }, { "email", MAIL },
    { "employees", STAFF }, { "employer", EMPLOYER }, { "end", END }, { "ends", END },
    { "established", FOUNDED }, { "experience", SKILL }, { "expire", END }, { "expires", END },
    { "expiry", END }, { "fare", PRICE }, { "fax", PHONE }, { "fee", PRICE },
    { "finished", RUNNERS }, { "finishers", RUNNERS }, { "firm", EMPLOYER },
    { "founded", FOUNDED }, { "from", SENDER }, { "from", START }, { "guest", GUESTS },
    { "guests", GUESTS }, { "hardware", DEVICE }, { "headcount", STAFF }, { "headline", TITLE },
    { "husband", SPOUSE }, { "impact", SEVERITY }, { "issue", ISSUED }, { "issued", ISSUED },
    { "kind", TITLE }, { "lasted", DURATION }, { "leave", DEPARTURE }, { "leaves", DEPARTURE },
    { "leaving", DEPARTURE }, { "lecturer", TEACHER }, { "location", PLACE },
    { "loser", LOSER }, { "lost", LOSER }, { "machine", DEVICE }, { "mail", MAIL },
    { "married", SPOUSE }, { "merchant", VENDOR }, { "mobile", PHONE },
    { "notified", REPORTER }, { "organisation", EMPLOYER }, { "organiser", OWNER },
    { "organization", EMPLOYER }, { "organizer", OWNER }, { "owner", OWNER },
    { "owners", OWNER }, { "participants", RUNNERS }, { "pay", DUE }, { "pay", PAY },
    { "payable", DUE }, { "payment", DUE }, { "people", GUESTS }, { "people", RUNNERS },
    { "persons", GUESTS }, { "phone", PHONE }, { "physician", DOCTOR }, { "place", PLACE },
    { "price", PRICE }, { "priority", SEVERITY }, { "prof", DOCTOR }, { "professor", TEACHER },
    { "published", PUBLISHED }, { "qty", QUANTITY }, { "quantity", QUANTITY },
    { "rate", PRICE }, { "reaches", ARRIVAL }, { "reason", REASON }, { "regards", SENDER },
    { "reported", REPORTER }, { "reporter", REPORTER }, { "reporting", REPORTER },
    { "requirements", SKILL }, { "responsible", OWNER }, { "result", RESULT },
    { "runners", RUNNERS }, { "salary", PAY }, { "sale", PRICE }, { "score", RESULT },
    { "seats", GUESTS }, { "security", DEPOSIT }, { "seller", VENDOR }, { "sender", SENDER },
    { "severity", SEVERITY }, { "since", START }, { "site", PLACE }, { "skills", SKILL },
    { "sold", VENDOR }, { "sons", CHILDREN }, { "spectators", AUDIENCE }, { "spouse", SPOUSE },
    { "square", AREA }, { "staff", STAFF }, { "start", START }, { "starting", START },
    { "starts", START }, { "store", VENDOR }, { "subject", TOPIC }, { "sum", SUM },
    { "supplier", VENDOR }, { "taken", DURATION }, { "taught", TEACHER }, { "tax", TAX },
    { "teacher", TEACHER }, { "tel", PHONE }, { "telephone", PHONE }, { "till", END },
    { "title", TITLE }, { "to", END }, { "took", DURATION }, { "topic", TOPIC },
    { "total", SUM }, { "until", DUE }, { "until", END }, { "urgency", SEVERITY },
    { "vat", TAX }, { "vendor", VENDOR }, { "venue", PLACE }, { "wage", PAY },
    { "watched", AUDIENCE }, { "wife", SPOUSE }, { "winner", WINNER }, { "wins", WINNER },
    { "won", WINNER }, { "writer", AUTHOR }, { "written", AUTHOR },
    /* clang-format on */
};

/* Orders a folded word against a table entry. */
static int word_order(struct str word, const char *entry)
{
    size_t len = strlen(entry);
    int order = memcmp(word.ptr, entry, word.len < len ? word.len : len);
    return order != 0 ? order : (word.len > len) - (word.len < len);
}

/* All families of the word of an entry: its entries stand together. */
static uint64_t families_around(size_t at)
{
    const size_t count = sizeof(table) / sizeof(table[0]);
    uint64_t families = 0;
    size_t first = at;
    while (first > 0 && strcmp(table[first - 1].word, table[at].word) == 0)
        first--;
    for (size_t i = first; i < count && strcmp(table[i].word, table[at].word) == 0; i++)
        families |= UINT64_C(1) << table[i].family;
    return families;
}

uint64_t match_families(struct str lower)
{
    size_t low = 0;
    size_t high = sizeof(table) / sizeof(table[0]);
    if (lower.len == 0)
        return 0;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = word_order(lower, table[middle].word);
        if (order == 0)
            return families_around(middle);
        if (order > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return 0;
}
