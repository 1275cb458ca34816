// The pages' texts in each language, and the document that says what the server answers.
#include "Lists.h"

static const unsigned char de_json[] = {
#embed "../Gallery/Pages/Languages/de.json"
};
static const unsigned char en_json[] = {
#embed "../Gallery/Pages/Languages/en.json"
};
static const unsigned char es_json[] = {
#embed "../Gallery/Pages/Languages/es.json"
};
static const unsigned char fr_json[] = {
#embed "../Gallery/Pages/Languages/fr.json"
};
static const unsigned char it_json[] = {
#embed "../Gallery/Pages/Languages/it.json"
};
static const unsigned char ja_json[] = {
#embed "../Gallery/Pages/Languages/ja.json"
};
static const unsigned char pt_json[] = {
#embed "../Gallery/Pages/Languages/pt.json"
};
static const unsigned char th_json[] = {
#embed "../Gallery/Pages/Languages/th.json"
};
static const unsigned char openapi_json[] = {
#embed "../Gallery/API/openapi.json"
};

const struct gallery_file gallery_texts[] = {
    {"de.json", de_json, sizeof de_json},
    {"en.json", en_json, sizeof en_json},
    {"es.json", es_json, sizeof es_json},
    {"fr.json", fr_json, sizeof fr_json},
    {"it.json", it_json, sizeof it_json},
    {"ja.json", ja_json, sizeof ja_json},
    {"pt.json", pt_json, sizeof pt_json},
    {"th.json", th_json, sizeof th_json},
    {"openapi.json", openapi_json, sizeof openapi_json},
    {0}
};
